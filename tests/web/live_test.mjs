// Several hands on one row: other tabs, editors, programs. Nothing that was typed is lost, and nothing
// that others wrote.
import { check, eventually, same } from './driving.mjs';

const body = page => page.tab.locator('.cm-content');

async function openRow(kit, id = 'story-003') {
  const { server, workspace } = await kit.serve();
  const page = await kit.page(server, `#/stories?row=${id}`);
  await body(page).waitFor();
  await eventually(async () => (await page.text()).length > 0, 'the text is there');
  return { server, workspace, page, file: `stories/${id}.md` };
}

const field = (page, name) => page.tab.locator('.field', { has: page.tab.locator('.field-name', { hasText: new RegExp(`^${name}`) }) });

// What the page does, what another program does meanwhile, and what must stand in the file then.
const edits = {
  field: { begin: async page => { await field(page, 'Evenings').locator('.field-value').click(); await page.press('Control+a'); await page.tab.keyboard.type('5'); }, end: page => page.press('Enter'), mine: /^estimate: 5$/m },
  'another field': { begin: async page => { await field(page, 'Title').locator('.field-value').click(); await page.press('End'); await page.tab.keyboard.type(' soon'); }, end: page => page.press('Enter'), mine: /^title: Put the catalogue online soon$/m },
  'the first line': { begin: async page => { await body(page).click(); await page.press('Control+Home'); await page.tab.keyboard.type('Mine. '); }, end: page => page.press('Control+s'), mine: /^Mine\. Two pages only/m },
  'the last line': { begin: async page => { await body(page).click(); await page.press('Control+End'); await page.tab.keyboard.type('Mine at the end.'); }, end: page => page.press('Control+s'), mine: /Mine at the end\./ },
};
const outside = {
  'another field': { change: text => text.replace('status: doing', 'status: open'), theirs: /^status: open$/m },
  'the middle of the text': { change: text => text.replace('- [x] list of books', '- [x] list of all books'), theirs: /list of all books/ },
  'a key of its own': { change: text => text.replace('status: doing', 'status: doing\nowner: somebody'), theirs: /^owner: somebody$/m },
  'a comment': { change: text => text.replace('status: doing', 'status: doing # yes'), theirs: /status: doing # yes/ },
  'both field and text': { change: text => text.replace('status: doing', 'status: done').replace('one page per book', 'a page per book'), theirs: /^status: done[^]*a page per book/m },
};

const interleavings = {};
for (const [mine, edit] of Object.entries(edits))
  for (const [theirs, other] of Object.entries(outside))
    interleavings[`${mine} here, ${theirs} there`] = [edit, other];

export const page_tests = {
  '20 interleavings of an edit and an outside change lose neither': async kit => {
    const { workspace, page, file } = await openRow(kit);
    const original = workspace.read(file);
    same(Object.keys(interleavings).length, 20, 'interleavings');
    for (const [name, [edit, other]] of Object.entries(interleavings)) {
      await edit.begin(page);
      workspace.write(file, other.change(workspace.read(file)));
      await edit.end(page);
      await eventually(() => edit.mine.test(workspace.read(file)), `${name}: mine is in the file`);
      check(other.theirs.test(workspace.read(file)), `${name}: theirs is in the file`);
      await eventually(async () => (await page.tab.locator('.body [role=status]').textContent()) === '', `${name}: the page knows that it is saved`);
      workspace.write(file, original);
      await page.tab.reload();
      await eventually(async () => (await page.text()).startsWith('Two pages only'), `${name}: read anew`);
    }
  },

  'the same field changed on both sides: both values are shown, and one is chosen': async kit => {
    const { workspace, page, file } = await openRow(kit);
    await edits.field.begin(page);
    workspace.write(file, workspace.read(file).replace('estimate: 8', 'estimate: 13'));
    await page.tab.locator('.changed-mark', { hasText: '13' }).waitFor();
    await page.press('Enter');
    const said = field(page, 'Evenings').locator('[role=alert]');
    await said.waitFor();
    check(/before 8 · theirs 13 · yours 5/.test(await said.textContent()), await said.textContent());
    check(/^estimate: 13$/m.test(workspace.read(file)), 'nothing is written yet');
    await said.getByText('Write mine').click();
    await eventually(() => /^estimate: 5$/m.test(workspace.read(file)), 'mine is written when it is chosen');
  },

  'the same line of the text changed on both sides is shown three times': async kit => {
    const { workspace, page, file } = await openRow(kit);
    await body(page).click();
    await page.press('Control+Home');
    await page.tab.keyboard.type('Mine: ');
    workspace.write(file, workspace.read(file).replace('Two pages only', 'Theirs: two pages only'));
    await page.press('Control+s');
    const clash = page.tab.locator('.clash');
    await clash.waitFor();
    const said = await clash.textContent();
    check(said.includes('Mine: Two pages') && said.includes('Theirs: two pages'), 'both are shown');
    check((await page.text()).startsWith('Mine: Two pages'), 'what was typed still stands');
    await clash.getByText('Keep both').click();
    await eventually(() => /Theirs: two pages[^]*Mine: Two pages/.test(workspace.read(file)), 'both are written');
  },

  '100 outside writes while one types leave text and caret': async kit => {
    const { workspace, page, file } = await openRow(kit);
    await body(page).click();
    await page.press('Control+Home', 'ArrowDown', 'Home');
    for (let i = 0; i < 100; ++i) {
      workspace.write(file, workspace.read(file).replace(/^estimate: .*$/m, `estimate: ${i % 20}`));
      await page.tab.keyboard.type('abcdefghij'[i % 10]);
    }
    const { at, line } = await body(page).evaluate(content => {
      const lines = [...content.querySelectorAll('.cm-line')];
      const { focusNode, focusOffset } = getSelection();
      const here = lines.findIndex(one => one.contains(focusNode));
      const inLine = document.createRange();
      inLine.setStart(lines[here], 0);
      inLine.setEnd(focusNode, focusOffset);
      return { at: [here, inLine.toString().length], line: lines[1].textContent };
    });
    same(line, 'abcdefghij'.repeat(10), 'what was typed');
    same(at, [1, 100], 'where the caret is');
    await page.press('Control+s');
    await eventually(() => workspace.read(file).includes('abcdefghij'.repeat(10)), 'the save succeeds');
    check(/^estimate: 19$/m.test(workspace.read(file)), 'what was written outside stays');
  },

  'another tab sees an edit within 1 s, and one by another program within 2 s': async kit => {
    const { server, workspace } = await kit.serve();
    const page = await kit.page(server, '#/stories');
    await page.table('12 rows');
    const other = await page.newTab('#/stories');
    await other.locator('#cell-0-0', { hasText: 'Label every shelf' }).waitFor();
    await page.tab.bringToFront();
    await page.table('12 rows');
    await page.press('Enter', 'End');
    await page.tab.keyboard.type('!');
    await page.press('Enter');
    const tab = await eventually(async () => (await other.locator('#cell-0-0').textContent()) === 'Label every shelf!', 'the other tab has it', 3000);
    check(tab < 1000, `the other tab took ${Math.round(tab)} ms`);
    workspace.write('stories/story-001.md', workspace.read('stories/story-001.md').replace('every shelf!', 'each shelf'));
    const outside = await eventually(async () => (await page.cell(0, 0).textContent()) === 'Label each shelf', 'the page has it', 5000);
    check(outside < 2000, `the page took ${Math.round(outside)} ms`);
  },

  'a row that is deleted outside says so, and what was typed is still there': async kit => {
    const { workspace, page, file } = await openRow(kit);
    await body(page).click();
    await page.press('Control+End');
    await page.tab.keyboard.type('precious');
    (await import('node:fs')).unlinkSync(workspace.path(file));
    await page.tab.locator('.panel-problem', { hasText: "story-003" }).waitFor();
    check((await page.text()).includes('precious'), 'the text stands');
  },
};
