// The table: its keys, its editors, what is copied and pasted, and which bytes that changes.
import { check, eventually, same } from './driving.mjs';

const changedLines = (before, now) => {
  const [a, b] = [before.split('\n'), now.split('\n')];
  return a.length === b.length ? a.filter((line, i) => line !== b[i]).length : Math.abs(a.length - b.length);
};

// Each key from row 2, column 1 of a table with 12 rows and 12 columns; where it leads.
const moves = [
  [['ArrowDown'], [3, 1]], [['ArrowUp'], [1, 1]], [['ArrowRight'], [2, 2]], [['ArrowLeft'], [2, 0]],
  [['Home'], [2, 0]], [['End'], [2, 11]], [['Control+Home'], [0, 0]], [['Control+End'], [11, 11]],
  [['Control+ArrowDown'], [11, 1]], [['Control+ArrowUp'], [0, 1]], [['PageDown'], [11, 1]], [['PageUp'], [0, 1]],
  [['Tab'], [2, 2]], [['Shift+Tab'], [2, 0]],
];

// Each key of a selection, and how many cells are then selected.
const selections = [
  [['Shift+ArrowDown'], 2], [['Shift+ArrowRight', 'Shift+ArrowDown'], 4], [['Control+Shift+ArrowDown'], 10],
  [['Shift+Space'], 12], [['Control+Space'], 12], [['Control+a'], 144], [['Shift+ArrowDown', 'Escape'], 1],
];

async function toStart(page) {
  await page.press('Control+Home', 'ArrowDown', 'ArrowDown', 'ArrowRight');
}

export const page_tests = {
  'every key moves as in a spreadsheet': async kit => {
    const { server } = await kit.serve();
    const page = await kit.page(server, '#/stories');
    await page.table('12 rows');
    for (const [keys, wanted] of moves) {
      await toStart(page);
      await page.press(...keys);
      same(await page.at(), wanted, keys.join(' '));
    }
    for (const [keys, wanted] of selections) {
      await toStart(page);
      await page.press(...keys);
      const said = await page.tab.locator('.footer').textContent();
      same(/(\d+) cells/.exec(said)?.[1] ?? '1', String(wanted), keys.join(' '));
    }
  },

  'Enter edits a cell, Enter keeps it, and one line of one file is another': async kit => {
    const { server, workspace } = await kit.serve();
    const before = workspace.read('stories/story-002.md');
    const page = await kit.page(server, '#/stories');
    await page.table('12 rows');
    await page.press('ArrowDown', 'Enter', 'End');
    await page.tab.keyboard.type(', again');
    await page.press('Enter');
    same(await page.at(), [2, 0], 'one row down');
    await eventually(() => workspace.read('stories/story-002.md').includes('a first inventory, again'), 'the file has it');
    same(changedLines(before, workspace.read('stories/story-002.md')), 1, 'lines changed');
    await page.press('Control+z');
    await eventually(() => workspace.read('stories/story-002.md') === before, 'Ctrl+Z puts the bytes back');
    await page.press('Control+Shift+z');
    await eventually(() => workspace.read('stories/story-002.md').includes(', again'), 'and Ctrl+Shift+Z makes it again');
  },

  'Escape leaves the old value, Tab keeps and goes on, typing replaces': async kit => {
    const { server, workspace } = await kit.serve();
    const page = await kit.page(server, '#/stories');
    await page.table('12 rows');
    await page.press('F2');
    await page.tab.keyboard.type('lost');
    await page.press('Escape');
    same(await page.cell(0, 0).textContent(), 'Label every shelf', 'after Escape');
    await page.press('ArrowRight', 'ArrowRight');
    await page.tab.keyboard.type('7');
    await page.press('Tab');
    same(await page.at(), [0, 3], 'after Tab');
    await eventually(() => /^estimate: 7$/m.test(workspace.read('stories/story-001.md')), 'estimate is 7');
    await page.press('Space');
    await eventually(() => /^urgent: true$/m.test(workspace.read('stories/story-001.md')), 'Space ticks the box');
    await page.press('Delete');
    await eventually(() => !/^urgent: true$/m.test(workspace.read('stories/story-001.md')), 'Delete clears it');
  },

  'options and rows are chosen by typing': async kit => {
    const { server, workspace } = await kit.serve();
    const page = await kit.page(server, '#/stories');
    await page.table('12 rows');
    await page.press('ArrowRight', 'Enter');
    await page.tab.keyboard.type('dro');
    await page.press('Enter');
    await eventually(() => /^status: dropped$/m.test(workspace.read('stories/story-001.md')), 'status is dropped');
    await page.press('Home', 'ArrowUp', ...Array(7).fill('ArrowRight'), 'Enter');
    await page.tab.keyboard.type('yuki');
    await page.tab.locator('[role=option]', { hasText: 'Yuki' }).waitFor();
    await page.press('Enter');
    await eventually(() => /^assignee: yuki-tanaka$/m.test(workspace.read('stories/story-001.md')), 'assignee is a row of people');
    await eventually(async () => (await page.cell(0, 7).textContent()) === 'Yuki Tanaka', 'and is shown by name');
  },

  'a range is copied as a table and pasted as one change': async kit => {
    const { server, workspace } = await kit.serve();
    const page = await kit.page(server, '#/stories');
    await page.table('12 rows');
    await page.press('ArrowRight', 'Shift+ArrowRight', 'Shift+ArrowDown', 'Control+c');
    same(await page.tab.evaluate(() => navigator.clipboard.readText()), 'done\t2\ndone\t4.5', 'copied');
    const before = ['003', '004'].map(id => workspace.read(`stories/story-${id}.md`));
    await page.press('ArrowDown', 'ArrowDown', 'ArrowLeft');
    await page.tab.evaluate(() => navigator.clipboard.writeText('open\t9\nidea\t11'));
    same(await page.at(), [3, 1], 'where it is pasted');
    await page.press('Control+v');
    await eventually(() => /^estimate: 11$/m.test(workspace.read('stories/story-005.md')), 'the last cell of it');
    check(/^status: idea$/m.test(workspace.read('stories/story-005.md')), 'the first column of it');
    await page.press('Control+z');
    await eventually(() => /^estimate: 3$/m.test(workspace.read('stories/story-005.md')), 'one undo takes all of it back');
    same(['003', '004'].map(id => workspace.read(`stories/story-${id}.md`)), before, 'the others');
  },

  'what the engine refuses stands beside the cell, in its words, and nothing is lost': async kit => {
    const { server, workspace } = await kit.serve();
    const before = workspace.read('stories/story-001.md');
    const page = await kit.page(server, '#/stories');
    await page.table('12 rows');
    await page.press('ArrowRight', 'ArrowRight', 'Enter', 'Control+a');
    await page.tab.keyboard.type('50');
    await page.press('Enter');
    const refusal = page.tab.locator('#cell-0-2 [role=alert]');
    await refusal.waitFor();
    check((await refusal.textContent()).includes('estimate is 50, more than the most allowed, 20'), await refusal.textContent());
    await refusal.getByText('Edit again').click();
    same(await page.tab.locator('.editor').inputValue(), '50', 'what was typed');
    await page.press('Escape');
    same(workspace.read('stories/story-001.md'), before, 'the file');
  },

  'conditions are typed as on the command line, and refusals stand beside the box': async kit => {
    const { server } = await kit.serve();
    const page = await kit.page(server, '#/stories');
    await page.table('12 rows');
    await page.press('/');
    await page.tab.keyboard.type('status in open,doing and estimate >= 2');
    await page.press('Enter');
    await page.tab.locator('.footer .count', { hasText: '3 rows' }).waitFor();
    check(decodeURIComponent(page.tab.url()).includes('where=status'), 'it is in the address');
    await page.tab.reload();
    await page.table('3 rows');
    await page.press('/');
    await page.tab.keyboard.type('staus = open');
    await page.press('Enter');
    await page.tab.locator('[role=alert]', { hasText: "did you mean 'status'?" }).first().waitFor();
    same(await page.tab.locator('.chip').count(), 1, 'what is refused is no condition');
    same(await page.tab.locator('#filter').inputValue(), 'staus = open', 'and stays in the box');
    await page.press('Escape');
    await page.tab.goto(`${server.url}/#/stories?where=staus+%3D+open`);
    await page.tab.locator('[role=alert]', { hasText: "did you mean 'status'?" }).first().waitFor();
    await page.tab.goBack();
    await page.table('3 rows');
  },
};
