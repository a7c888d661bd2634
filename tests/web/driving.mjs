// Drives the real server and a real browser: a workspace of its own for each test, a page on it, and
// what a person does there.
import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const source = join(dirname(fileURLToPath(import.meta.url)), '..', '..');
const browsers = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

// What the tests stand on; null, with the reason, where it is not there.
export async function findBrowser() {
  const executablePath = browsers.find(existsSync);
  if (!executablePath) return { why: 'no chromium (apt-get install chromium)' };
  try {
    const { chromium } = await import(join(source, 'web/node_modules/playwright-core/index.mjs'));
    return { chromium, executablePath };
  } catch {
    return { why: 'no playwright-core (npm ci --ignore-scripts in web/)' };
  }
}

export class Workspace {
  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), 'notesdb-page-'));
    this.root = join(this.folder, 'notes');
    mkdirSync(this.root);
  }
  static sample() {
    const made = new Workspace();
    cpSync(join(source, 'notes-sample'), made.root, { recursive: true });
    return made;
  }
  path(name) { return join(this.root, name); }
  read(name) { return readFileSync(this.path(name), 'utf8'); }
  write(name, text) {
    mkdirSync(dirname(this.path(name)), { recursive: true });
    writeFileSync(this.path(name), text);
  }
  exists(name) { return existsSync(this.path(name)); }
  remove() { rmSync(this.folder, { recursive: true, force: true }); }
}

// `rows` numbered notes of one database.
export function largeWorkspace(rows) {
  const made = new Workspace();
  made.write('tasks/_schema.md', `---
name: Tasks
columns:
  - { id: title, type: text }
  - { id: status, type: select, options: [open, doing, done] }
  - { id: estimate, type: number }
  - { id: due, type: date }
  - { id: owner, type: text }
  - { id: urgent, type: checkbox }
  - { id: tags, type: multi-select, options: [a, b, c] }
  - { id: note, type: text }
views:
  - { id: board, type: board, group_by: status, columns: [title, due] }
---
`);
  const status = ['open', 'doing', 'done'];
  for (let i = 1; i <= rows; ++i)
    writeFileSync(made.path(`tasks/row-${i}.md`), `---\ntitle: Task number ${i}\nstatus: ${status[i % 3]}\nestimate: ${i % 40}\ndue: 2026-0${1 + (i % 9)}-1${i % 10}\nowner: person ${i % 50}\nurgent: ${i % 2 === 0}\ntags: [a, b]\nnote: some words about ${i}\n---\nBody of ${i}.\n`);
  return made;
}

export class Server {
  static async start(program, workspace, flags = []) {
    const server = new Server();
    server.process = spawn(program, ['serve', '--root', workspace.root, '--port', '0', ...flags], {
      env: { ...process.env, XDG_CACHE_HOME: join(workspace.folder, 'cache'), XDG_STATE_HOME: join(workspace.folder, 'state') },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    server.said = '';
    server.port = await new Promise((listening, failed) => {
      server.process.stderr.on('data', bytes => {
        server.said += bytes;
        const found = /listening at http:\/\/[^\s]*:(\d+)\/mcp/.exec(server.said);
        if (found) listening(Number(found[1]));
      });
      server.process.on('exit', () => failed(new Error(`the server ended: ${server.said}`)));
    });
    server.url = `http://127.0.0.1:${server.port}`;
    return server;
  }
  async call(tool, args, headers = {}) {
    const response = await fetch(`${this.url}/call/${tool}`, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(args) });
    return { status: response.status, body: await response.json().catch(() => null) };
  }
  stop() {
    const ended = new Promise(done => this.process.once('exit', done));
    this.process.kill('SIGTERM');
    return ended;
  }
}

export class Failure extends Error {}

export function check(holds, claim) {
  if (!holds) throw new Failure(claim);
}

export function same(found, wanted, claim) {
  const [a, b] = [JSON.stringify(found), JSON.stringify(wanted)];
  if (a !== b) throw new Failure(`${claim}: found ${a}, wanted ${b}`);
}

// Waits until something holds, and says how long it took.
export async function eventually(holds, claim, withinMs = 5000) {
  const begun = performance.now();
  for (;;) {
    let found = false;
    try { found = await holds(); } catch (problem) { if (performance.now() - begun > withinMs) throw problem; }
    if (found) return performance.now() - begun;
    if (performance.now() - begun > withinMs) throw new Failure(`not within ${withinMs} ms: ${claim}`);
    await new Promise(next => setTimeout(next, 20));
  }
}

// A page on a server, with what goes wrong in it.
export class Page {
  static async open(browser, server, address = '#/', options = {}) {
    const made = new Page();
    made.context = await browser.newContext({ viewport: { width: 1280, height: 760 }, locale: 'en-GB', ...options });
    await made.context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin: server.url }).catch(() => undefined);
    made.context.setDefaultTimeout(8000);
    made.server = server;
    made.tab = await made.newTab(address);
    return made;
  }
  problems = [];
  hosts = new Set();
  async newTab(address) {
    const tab = await this.context.newPage();
    tab.on('pageerror', error => this.problems.push(`error: ${error.message}`));
    tab.on('console', message => { if (/Content Security Policy|Trusted|error/i.test(message.text())) this.problems.push(message.text()); });
    tab.on('request', request => { if (!request.url().startsWith('data:')) this.hosts.add(new URL(request.url()).host); });
    await tab.addInitScript(() => { globalThis.ran = 0; addEventListener('securitypolicyviolation', event => console.log(`Content Security Policy: ${event.violatedDirective} ${event.blockedURI}`)); });
    await tab.goto(`${this.server.url}/${address}`);
    return tab;
  }
  cell(row, column) { return this.tab.locator(`#cell-${row}-${column}`); }
  // What stands in the editor of a row's text.
  text() { return this.tab.locator('.cm-content').evaluate(content => [...content.querySelectorAll('.cm-line')].map(line => (line.querySelector('.cm-placeholder') ? '' : line.textContent)).join('\n')); }
  press(...keys) { return keys.reduce((before, key) => before.then(() => this.tab.keyboard.press(key)), Promise.resolve()); }
  // Where the grid says one is.
  async at() {
    const place = await this.tab.locator('[role=grid]').getAttribute('aria-activedescendant');
    return place?.replace('cell-', '').split('-').map(Number);
  }
  async table(rows) {
    await this.tab.locator('.footer .count', { hasText: rows }).waitFor();
    await this.cell(0, 0).waitFor();
    await this.tab.locator('[role=grid]').focus();
  }
  async close() {
    const { problems } = this;
    await this.context.close();
    return problems;
  }
}
