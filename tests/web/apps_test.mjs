// The apps (MCP Apps) in a host of ours: a page that shows what the server gives for ui://notesdb/... in
// a sandboxed frame, speaks JSON-RPC with it over postMessage, and carries its calls to the real server.
import { check, eventually, largeWorkspace, same } from './driving.mjs';

const ui = 'io.modelcontextprotocol/ui';
const type = 'text/html;profile=mcp-app';
const canShow = { extensions: { [ui]: { mimeTypes: [type] } } };

async function request(server, method, params, capabilities = canShow) {
  const meta = { 'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': capabilities };
  const named = params.name ?? params.uri;
  const response = await fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2026-07-28',
      'mcp-method': method, ...(named ? { 'mcp-name': named } : {}) },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: { ...params, _meta: meta } }),
  });
  return (await response.json()).result;
}

const toolCall = (server, name, args) => request(server, 'tools/call', { name, arguments: args });

// Opens a frame with an app, as a host does that has just called db_query.
async function show(kit, { view = 'table', args, workspace, flags = [], theme = 'light' }) {
  const served = await kit.serve(workspace, flags);
  const { server } = served;
  const { contents: [app] } = await request(server, 'resources/read', { uri: `ui://notesdb/${view}` });
  same(app.mimeType, type, 'the type of an app');
  const page = await kit.browser.newPage();
  const problems = [];
  const asked = [];
  const fetched = [];
  page.on('pageerror', error => problems.push(error.message));
  page.on('request', one => { if (!/^(data|about):/.test(one.url())) fetched.push(one.url()); });
  await page.exposeFunction('carry', async (name, given) => { asked.push({ name, given }); return toolCall(server, name, given); });
  await page.setContent('<iframe id="app" sandbox="allow-scripts" style="width:900px;height:600px"></iframe>');
  const result = await toolCall(server, 'db_query', args);
  await page.evaluate(({ html, given, brought, look }) => {
    const frame = document.getElementById('app');
    const post = message => frame.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*');
    globalThis.heights = [];
    addEventListener('message', async ({ source, data }) => {
      if (source !== frame.contentWindow || data.jsonrpc !== '2.0') return;
      if (data.method === 'ui/initialize') {
        post({ id: data.id, result: { protocolVersion: '2026-01-26', hostInfo: { name: 'frame', version: '1' }, hostCapabilities: { serverTools: {} }, hostContext: { theme: look } } });
      } else if (data.method === 'ui/notifications/initialized') {
        post({ method: 'ui/notifications/tool-input', params: { arguments: given } });
        post({ method: 'ui/notifications/tool-result', params: brought });
      } else if (data.method === 'ui/notifications/size-changed') {
        heights.push(data.params.height);
      } else if (data.method === 'tools/call') {
        post({ id: data.id, result: await carry(data.params.name, data.params.arguments) });
      }
    });
    frame.srcdoc = html;
  }, { html: app.text, given: args, brought: result, look: theme });
  const frame = page.frameLocator('#app');
  await frame.locator('main footer').waitFor();
  const close = async () => {
    await page.close();
    same(problems, [], 'errors within the app');
    same(fetched, [], 'what the app fetched by itself');
  };
  return { ...served, page, frame, asked, close };
}

const stories = { database_id: 'stories', select: ['title', 'status', 'estimate', 'assignee'] };

export const page_tests = {
  'apps are told to hosts that show them, and to no other': async kit => {
    const { server } = await kit.serve();
    const of = (tools, name) => tools.find(tool => tool.name === name)._meta;
    const { tools } = await request(server, 'tools/list', {});
    same(of(tools, 'db_query').ui, { resourceUri: 'ui://notesdb/table' }, 'the app of db_query');
    const { resources } = await request(server, 'resources/list', {});
    same(resources.filter(one => one.uri.startsWith('ui:')).map(one => [one.uri, one.mimeType]), [['ui://notesdb/table', type], ['ui://notesdb/board', type]], 'the apps');
    const plain = await request(server, 'tools/list', {}, {});
    check(of(plain.tools, 'db_query').ui === undefined, 'an app is told to a host that shows none');
    check(Buffer.byteLength(JSON.stringify({ tools: plain.tools })) <= 13_312, 'the list without apps is within its bytes');
    const others = await request(server, 'resources/list', {}, {});
    check(!others.resources.some(one => one.uri.startsWith('ui:')), 'apps are listed to a host that shows none');
    const { contents: [app] } = await request(server, 'resources/read', { uri: 'ui://notesdb/table' });
    check(!/(src|href)=["']?(https?:)?\/\//.test(app.text) && !/@[A-Z]+@/.test(app.text), 'an app is one file');
  },
  'the table shows the rows of the query and turns its pages': async kit => {
    const shown = await show(kit, { workspace: largeWorkspace(120), args: { database_id: 'tasks', select: ['title', 'status'], limit: 50 } });
    const { frame } = shown;
    same(await frame.locator('thead th').allTextContents(), ['title', 'status'], 'the columns');
    same(await frame.locator('tbody tr').count(), 50, 'the rows of a page');
    check((await frame.locator('[role=status]').textContent()).includes('1 to 50 of 120'), 'where the page stands');
    await frame.getByRole('button', { name: 'Next' }).click();
    await eventually(async () => (await frame.locator('[role=status]').textContent()).includes('51 to 100 of 120'), 'the next page');
    await frame.getByRole('button', { name: 'Previous' }).click();
    await eventually(async () => (await frame.locator('[role=status]').textContent()).includes('1 to 50 of 120'), 'the page before');
    await eventually(async () => (await shown.page.evaluate(() => heights)).length > 0, 'the host is told how high it is');
    await shown.close();
  },
  'rows that came as a table are shown as rows': async kit => {
    const shown = await show(kit, { args: { ...stories, format: 'table', limit: 3 } });
    same(await shown.frame.locator('tbody tr').count(), 3, 'rows');
    same(await shown.frame.locator('thead th').allTextContents(), ['Title', 'Status', 'Evenings', 'Who'], 'columns by their names');
    await shown.close();
  },
  'a cell is changed through the host, with the etag of its row': async kit => {
    const shown = await show(kit, { args: stories });
    const cell = shown.frame.locator('[data-row=story-003] td').nth(2);
    await eventually(async () => (await cell.getAttribute('class')).includes('open'), 'the cell may be changed');
    await cell.dblclick();
    await cell.locator('input').fill('7');
    await cell.locator('input').press('Enter');
    await eventually(() => /^estimate: 7$/m.test(shown.workspace.read('stories/story-003.md')), 'the file has the value');
    const { given } = shown.asked.find(one => one.name === 'db_update_row');
    check(given.etag && given.fields.estimate === 7, 'etag and value of the call');
    await shown.close();
  },
  'a refusal and a conflict are shown, and nothing is written over': async kit => {
    const shown = await show(kit, { args: stories });
    const cell = shown.frame.locator('[data-row=story-003] td').nth(2);
    await eventually(async () => (await cell.getAttribute('class')).includes('open'), 'the cell may be changed');
    const put = async text => { await cell.dblclick(); await cell.locator('input').fill(text); await cell.locator('input').press('Enter'); };
    await put('many');
    await shown.frame.getByRole('alert').filter({ hasText: 'estimate' }).waitFor();
    shown.workspace.write('stories/story-003.md', shown.workspace.read('stories/story-003.md').replace(/^estimate: .*$/m, 'estimate: 9'));
    await put('4');
    await shown.frame.getByRole('alert').filter({ hasText: 'CONFLICT' }).waitFor();
    same(await cell.textContent(), '9', 'the row as it is now');
    check(/^estimate: 9$/m.test(shown.workspace.read('stories/story-003.md')), 'what another program wrote stands');
    await shown.close();
  },
  'the board has a lane for each option, and a card is moved': async kit => {
    const shown = await show(kit, { view: 'board', args: stories });
    const { frame, workspace } = shown;
    await frame.locator('[data-group=doing] [data-row=story-003]').waitFor();
    same(await frame.locator('.lanes section').evaluateAll(all => all.map(one => one.dataset.group)), ['idea', 'open', 'doing', 'done', 'dropped'], 'the lanes');
    await frame.locator('[data-row=story-003] select').selectOption('done');
    await frame.locator('[data-group=done] [data-row=story-003]').waitFor();
    check(/^status: done$/m.test(workspace.read('stories/story-003.md')), 'the file has the lane');
    await frame.getByRole('button', { name: 'Table' }).click();
    same(await frame.locator('tbody tr').count(), 12, 'the same rows as a table');
    await shown.close();
  },
  'where the server only reads, nothing can be changed': async kit => {
    const shown = await show(kit, { args: stories, flags: ['--read-only'] });
    await eventually(() => shown.asked.some(one => one.name === 'db_list'), 'it has asked what it may');
    await shown.frame.locator('[data-row=story-003] td').nth(2).dblclick();
    same(await shown.frame.locator('tbody input, tbody select').count(), 0, 'editors');
    await shown.frame.getByRole('button', { name: 'Board' }).click();
    await shown.frame.locator('.lanes').waitFor();
    same(await shown.frame.locator('.lanes select').count(), 0, 'lanes to choose');
    await shown.close();
  },
  'what rows hold is text in an app': async kit => {
    const workspace = largeWorkspace(2);
    workspace.write('tasks/row-1.md', '---\ntitle: "<img src=x onerror=parent.ran=1><script>parent.ran=1</script></script>"\nstatus: open\n---\n');
    const shown = await show(kit, { workspace, args: { database_id: 'tasks', select: ['title', 'status'] } });
    check((await shown.frame.locator('[data-row=row-1]').textContent()).includes('<script>'), 'it is shown as it is written');
    same(await shown.frame.locator('tbody img, tbody script').count(), 0, 'elements out of rows');
    same(await shown.page.evaluate(() => globalThis.ran), undefined, 'what ran');
    await shown.close();
  },
};
