// Who may come in: other names, other sites, other users of the machine, tokens.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect } from 'node:net';

import { Server, check, eventually, same } from './driving.mjs';

// What one raw request is answered with: its status, 0 where the connection just ends.
function raw(port, text) {
  return new Promise(done => {
    const socket = connect(port, '127.0.0.1', () => socket.write(text));
    let answer = '';
    socket.on('data', bytes => { answer += bytes; });
    socket.on('close', () => done({ status: Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0), answer }));
    socket.on('error', () => done({ status: 0, answer }));
    socket.setTimeout(3000, () => socket.destroy());
  });
}

const list = (port, lines) => raw(port, `POST /call/db_list HTTP/1.1\r\n${lines}Content-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`);

export const page_tests = {
  'a Host is this server by its exact name, for data and for the page': async kit => {
    const { server: { port } } = await kit.serve();
    const own = [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`, `LOCALHOST:${port}`, 'localhost', '127.0.0.1'];
    const others = [
      'localhost.evil.com', `localhost.evil.com:${port}`, '127.0.0.1.evil', `127.0.0.1.evil:${port}`, 'evil.test', `evil.test:${port}`, `localhost:${port + 1}`, 'localhost:80',
      `localhost.:${port}`, `127.1:${port}`, `0.0.0.0:${port}`, `[::]:${port}`, `::1:${port}`, `[::ffff:127.0.0.1]:${port}`, `2130706433:${port}`, `0x7f.0.0.1:${port}`, `localhost:${port}@evil.test`,
      `evil.test@localhost:${port}`, `localhost:0${port}`, `localhost:${port}/`, `localhost:${port} evil.test`, `localhost,evil.test`, 'http://localhost', '', ' ', `localhost\t:${port}`, `локалхост:${port}`,
    ];
    for (const host of own) same((await list(port, `Host: ${host}\r\n`)).status, 200, `Host: ${host}`);
    for (const host of others) {
      for (const answer of [await list(port, `Host: ${host}\r\n`), await raw(port, `GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)]) {
        check([400, 403, 421].includes(answer.status), `Host: '${host}' is answered with ${answer.status}`);
        check(!answer.answer.includes('Lantern') && !answer.answer.includes('<html'), `Host: '${host}' is told something`);
      }
    }
    same((await list(port, '')).status, 400, 'no Host');
    same((await list(port, `Host: localhost:${port}\r\nHost: evil.test\r\n`)).status, 400, 'two of them');
    same((await raw(port, `GET http://localhost:${port}/ HTTP/1.1\r\nHost: localhost:${port}\r\nConnection: close\r\n\r\n`)).status, 400, 'a target with a host');
  },

  'another site gets nothing and changes nothing, also by a name that leads here': async kit => {
    const { server, workspace } = await kit.serve();
    const before = workspace.read('stories/story-001.md');
    const asked = JSON.stringify({ database_id: 'stories', fields: { title: 'from elsewhere' } });
    const html = `<!doctype html><body><iframe id="frame" src="${server.url}/"></iframe><form id="form" method="post" enctype="text/plain" action="${server.url}/call/db_insert_row"><input name='${asked.slice(0, -1)},"x":"' value='"}'></form>`;
    const elsewhere = createServer((request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(html));
    await new Promise(listening => elsewhere.listen(0, '127.0.0.1', listening));
    const browser = await kit.launch([`--host-resolver-rules=MAP evil.test 127.0.0.1`]);
    const tab = await browser.newPage();
    try {
      await tab.goto(`http://127.0.0.1:${elsewhere.address().port}/`);
      const told = await tab.evaluate(async ({ url, body }) => {
        const ask = (init, path = '/call/db_insert_row') => fetch(url + path, init).then(async answer => `${answer.type} ${answer.status} ${await answer.text()}`, () => 'refused');
        const script = new Promise(done => { const element = document.createElement('script'); element.src = `${url}/events`; element.onerror = () => done('refused'); element.onload = () => done('loaded'); document.body.append(element); });
        return Promise.all([
          ask({ method: 'POST', body, headers: { 'content-type': 'application/json' } }), ask({ method: 'POST', body, headers: { 'content-type': 'text/plain' } }),
          ask({ method: 'POST', body, mode: 'no-cors' }), ask({ method: 'POST', body: new URLSearchParams({ a: body }) }), ask({}, '/events'), ask({}, '/'), script,
        ]);
      }, { url: server.url, body: asked });
      for (const answer of told) check(answer === 'refused' || answer === 'opaque 0 ', `it was told ${answer}`);
      same(await tab.frameLocator('#frame').locator('#page').count().catch(() => 0), 0, 'the page in a frame');
      await tab.evaluate(() => document.getElementById('form').submit());
      await tab.waitForTimeout(300);
      const rebound = await tab.goto(`http://evil.test:${server.port}/`);
      same(rebound.status(), 421, 'by another name');
    } finally {
      await browser.close();
      elsewhere.close();
    }
    same([workspace.read('stories/story-001.md'), workspace.exists('stories/story-013.md')], [before, false], 'files');
    for (const headers of [{ Origin: 'http://evil.test' }, { Origin: 'null' }, { 'Sec-Fetch-Site': 'cross-site' }, { 'Sec-Fetch-Site': 'same-site' }, { 'Sec-Fetch-Site': 'none' }]) {
      const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`).join('');
      same((await list(server.port, `Host: localhost\r\n${lines}`)).status, 403, lines.trim());
    }
    const options = await raw(server.port, 'OPTIONS /call/db_list HTTP/1.1\r\nHost: localhost\r\nOrigin: http://evil.test\r\nConnection: close\r\n\r\n');
    check([403, 405].includes(options.status) && !/access-control/i.test(options.answer), 'no leave by CORS');
  },

  'another user of the machine is refused without the token': async kit => {
    const { server, workspace } = await kit.serve();
    if (process.getuid() !== 0) return;  // only root may become somebody else
    const ask = (path, more = []) => spawnSync('python3', ['-c', `
import os, sys, http.client, encodings.idna
os.setgid(65534); os.setuid(65534)
c = http.client.HTTPConnection('127.0.0.1', ${server.port})
c.request(*sys.argv[1:3], *([sys.argv[3], dict(zip(sys.argv[4::2], sys.argv[5::2]))] if len(sys.argv) > 3 else []))
print(c.getresponse().status)`, ...path, ...more], { encoding: 'utf8' }).stdout.trim();
    const json = ['Content-Type', 'application/json'];
    same(ask(['POST', '/call/db_list'], ['{}', ...json]), '401', 'a call');
    same(ask(['POST', '/mcp'], ['{}', ...json]), '401', 'MCP');
    same(ask(['GET', '/events']), '401', 'changes');
    same(ask(['GET', '/']), '200', 'the page, which holds nothing');
    const token = 'a'.repeat(43);
    writeFileSync(`${workspace.folder}/token`, `${token}\n`);
    chmodSync(`${workspace.folder}/token`, 0o600);
    const second = await Server.start(kit.program, workspace, ['--token-file', `${workspace.folder}/token`]);
    try {
      server.port = second.port;
      same(ask(['POST', '/call/db_list'], ['{}', ...json, 'Authorization', `Bearer ${token}`]), '200', 'with the token');
      for (const wrong of ['', 'b'.repeat(43), token.slice(1), `${token}a`, 'x'.repeat(10_000)])
        same(ask(['POST', '/call/db_list'], ['{}', ...json, 'Authorization', `Bearer ${wrong}`]), '401', `a token of ${wrong.length}`);
      const forwarded = await list(second.port, 'Host: localhost\r\nX-Forwarded-For: 10.0.0.1\r\n');
      same(forwarded.status, 401, 'what another server forwards');
      check(!execFileSync('cat', [`/proc/${second.process.pid}/cmdline`], { encoding: 'utf8' }).includes(token), 'it is in no argument');
      check(!second.said.includes(token), 'and in no log');
    } finally {
      await second.stop();
    }
  },

  'a link brings the token, which leaves the address at once': async kit => {
    const { server } = await kit.serve();
    const token = 'k'.repeat(43);
    const page = await kit.page(server, `#t=${token}`);
    await page.tab.locator('.sidebar').waitFor();
    check(!page.tab.url().includes(token), page.tab.url());
    const sent = await page.tab.evaluate(async () => Object.keys(localStorage).filter(key => key.startsWith('notesdb-token')));
    same(sent, [`notesdb-token:${server.url}`], 'it is kept for this origin alone');
  },

  'streams that idle do not keep out questions': async kit => {
    const { server } = await kit.serve();
    const sockets = await Promise.all(Array.from({ length: 1000 }, () => new Promise(done => {
      const socket = connect(server.port, '127.0.0.1', () => { socket.write('GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n'); done(socket); });
      socket.on('error', () => done(socket));
    })));
    await new Promise(next => setTimeout(next, 500));
    const took = await eventually(async () => (await server.call('db_list', {})).status === 200, 'an answer', 5000);
    check(took < 2000, `it took ${Math.round(took)} ms`);
    for (const socket of sockets) socket.destroy();
  },
};
