// The workspace: what is wrong and its fixes, new databases, files in and out, groups, narrow windows.
import { readFileSync } from 'node:fs';

import { check, eventually, same, Workspace } from './driving.mjs';

const drop = (page, name, text) => page.tab.evaluate(([name, text]) => {
  const dataTransfer = new DataTransfer();
  dataTransfer.items.add(new File([text], name));
  for (const type of ['dragover', 'drop']) dispatchEvent(new DragEvent(type, { dataTransfer, cancelable: true }));
}, [name, text]);

// Notes that nobody has made a database of.
function notes() {
  const made = new Workspace();
  for (const [i, title] of ['Dune', 'Emma', 'Ulysses', 'Zami'].entries())
    made.write(`shelf/books/${title.toLowerCase()}.md`, `---\ntitle: ${title}\nyear: ${1900 + i}\n---\nA book.\n`);
  return made;
}

export const page_tests = {
  'what is wrong is shown with its place, and a button fixes just that file': async kit => {
    const { server, workspace } = await kit.serve();
    const before = workspace.read('stories/story-009.md');
    const page = await kit.page(server, '#/');
    await page.tab.getByRole('button', { name: '1 issue in Stories' }).click();
    const file = page.tab.locator('.checked-file');
    await file.getByText('2:20').waitFor();
    same(await file.locator('ins').textContent(), 'title: "Borrow cards: paper or none at all"', 'the line as it would be');
    same(workspace.read('stories/story-009.md'), before, 'nothing is written yet');
    await file.getByRole('button', { name: 'Fix this line' }).click();
    await page.tab.getByText('Nothing is wrong in 1 database').waitFor();
    check(workspace.read('stories/story-009.md').includes('title: "Borrow cards'), 'the file is fixed');
    await page.tab.getByRole('button', { name: 'Undo' }).click();
    await eventually(() => workspace.read('stories/story-009.md') === before, 'undo puts the bytes back');
    await file.locator('h2 a').click();
    await page.tab.locator('.panel-issues').getByRole('button', { name: 'Fix this line' }).click();
    await page.tab.locator('.panel-title', { hasText: 'Borrow cards' }).waitFor();
  },

  'a database is made by hand': async kit => {
    const { server, workspace } = await kit.serve();
    const page = await kit.page(server, '#/');
    await page.tab.getByRole('main').getByRole('button', { name: 'New database' }).click();
    await page.tab.getByLabel('Name', { exact: true }).fill('Garden Plots');
    await page.tab.getByRole('button', { name: 'Add a column' }).click();
    await page.tab.getByLabel('name of column 2').fill('State');
    await page.tab.getByLabel('type of column 2').selectOption('select');
    await page.tab.getByLabel('options of column 2').fill('dug, planted');
    await page.tab.getByRole('button', { name: 'Create' }).click();
    await page.tab.locator('.toolbar h1', { hasText: 'Garden Plots' }).waitFor();
    check(/id: state[^]*dug[^]*planted/.test(workspace.read('garden-plots/_schema.md')), workspace.read('garden-plots/_schema.md'));
  },

  'a folder of notes shows its schema before it is written': async kit => {
    const { server, workspace } = await kit.serve(notes());
    const page = await kit.page(server, '#/');
    const books = page.tab.locator('.inferred-one', { hasText: 'shelf/books' });
    await books.getByText('4 rows, 2 columns').waitFor();
    await books.getByText('The schema file that would be written').click();
    const document = await books.locator('.document').textContent();
    check(document.includes('id: year'), document);
    check(!workspace.exists('shelf/books/_schema.md'), 'nothing is written yet');
    await books.getByRole('button', { name: 'Keep this schema' }).click();
    await page.table('4 rows');
    same(workspace.read('shelf/books/_schema.md'), document, 'the file that was shown');
  },

  'a dropped CSV is judged as a whole, then imported as one change': async kit => {
    const { server, workspace } = await kit.serve();
    const page = await kit.page(server, '#/stories');
    await page.table('12 rows');
    await drop(page, 'more.csv', 'title,status\nFrom a file,open\nBad,nope\n');
    await page.tab.locator('.import-issues', { hasText: '3:' }).waitFor();
    check(await page.tab.getByRole('button', { name: 'Import', exact: true }).isDisabled(), 'what is refused cannot be imported');
    await page.press('Escape');
    await drop(page, 'more.csv', 'title,status\nFrom a file,open\nAnd another,idea\n');
    await page.tab.getByText('2 rows would be inserted').waitFor();
    await page.tab.getByRole('button', { name: 'Import', exact: true }).click();
    await page.table('14 rows');
    await page.tab.getByRole('button', { name: 'Undo' }).click();
    await page.table('12 rows');
    await drop(page, 'plants.csv', 'name;height\nFern;0.5\nOak;20\n');
    await page.tab.getByLabel('Into').selectOption('');
    await page.tab.getByText('2 rows would be inserted into a new database').waitFor();
    await page.tab.getByRole('button', { name: 'Import', exact: true }).click();
    await page.table('2 rows');
    check(/id: height\n *type: number/.test(workspace.read('plants/_schema.md')), workspace.read('plants/_schema.md'));
  },

  'what is seen is exported, and comes back by import': async kit => {
    const { server } = await kit.serve();
    const page = await kit.page(server, '#/stories?where=status+%3D+open&columns=title,tags,estimate');
    await page.table('5 rows');
    await page.tab.getByLabel('copies and more').click();
    const [download] = await Promise.all([page.tab.waitForEvent('download'), page.tab.getByRole('menuitem', { name: 'Export as CSV' }).click()]);
    const text = readFileSync(await download.path(), 'utf8');
    same(text.split('\n').slice(0, 2), ['_id,title,tags,estimate', 'story-004,Reading hour for the little ones,"children,open house",1'], 'its first lines');
    const { body } = await server.call('db_import', { database_id: 'stories', text, match: '_id' });
    same([body.updated, body.unchanged], [0, 5], 'rows that an import would change');
  },

  'rows stand in groups that close and open, and their cells are edited as ever': async kit => {
    const { server, workspace } = await kit.serve();
    const page = await kit.page(server, '#/stories');
    await page.table('12 rows');
    await page.tab.getByRole('button', { name: 'Group', exact: true }).click();
    await page.tab.getByRole('menuitemradio', { name: 'Status' }).click();
    await page.tab.locator('.heading-cell').first().waitFor();
    const headings = () => page.tab.locator('.heading-cell').allTextContents();
    same(await headings(), ['idea2', 'open5', 'doing2', 'done2', 'dropped1'], 'headings with counts, in the order of the options');
    check(page.tab.url().includes('group=status'), 'it is in the address');
    await page.tab.locator('[role=grid]').focus();
    await page.press('Control+Home', 'ArrowDown', 'Enter', 'End');
    await page.tab.keyboard.type('!');
    await page.press('Enter');
    await eventually(() => /^title: Buy a second armchair!$/m.test(workspace.read('stories/story-007.md')), 'the row below the heading is edited');
    await page.press('Control+Home', 'Enter');
    await eventually(async () => (await page.cell(1, 0).textContent()).includes('open'), 'the next heading follows a closed one');
    await page.press('ArrowDown', 'ArrowDown');
    same(await page.cell(2, 0).textContent(), 'Reading hour for the little ones', 'and its rows are its own');
    await page.press('ArrowRight', 'Enter');
    await page.tab.keyboard.type('done');
    await page.press('Enter');
    await eventually(async () => (await headings()).join() === 'idea2,open4,doing2,done3,dropped1', 'a row moves to its group');
  },

  'columns are as wide as their rows need, and stay as somebody has made them': async kit => {
    const { server } = await kit.serve();
    const page = await kit.page(server, '#/stories');
    await page.table('12 rows');
    const clipped = await page.tab.locator('.cell .clip, .cell .option').evaluateAll(texts => texts.filter(text => text.scrollWidth > text.clientWidth + 1).length);
    check(clipped <= 4, `${clipped} texts are cut`);
    const head = page.tab.getByRole('columnheader', { name: /Status/ });
    const edge = await head.locator('.resize').boundingBox();
    const before = (await head.boundingBox()).width;
    await page.tab.mouse.move(edge.x + 4, edge.y + 4);
    await page.tab.mouse.down();
    await page.tab.mouse.move(edge.x + 64, edge.y + 4);
    await page.tab.mouse.up();
    await page.tab.reload();
    await page.table('12 rows');
    same(Math.round((await head.boundingBox()).width - before), 60, 'wider after a reload');
  },

  'on a phone nothing lies over what is read, and all of it can be reached': async kit => {
    const { server } = await kit.serve();
    const page = await kit.page(server, '#/stories', { viewport: { width: 390, height: 780 } });
    await page.table('12 rows');
    const covered = () => page.tab.evaluate(() => document.elementFromPoint(60, 300)?.closest('.grid') === null);
    check(!(await covered()), 'the table is in front');
    await page.tab.getByRole('button', { name: 'databases' }).click();
    await page.tab.getByRole('link', { name: /People/ }).click();
    await page.table('8 rows');
    check(!(await covered()), 'the list of databases is gone once one is chosen');
    for (const address of ['#/', '#/stories?view=board', '#/stories?view=calendar&month=2026-06', '#/stories?row=story-003', '#/?show=check']) {
      await page.tab.goto(`${server.url}/${address}`);
      await page.tab.waitForTimeout(300);
      check(await page.tab.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${address} is as wide as the window`);
    }
  },
};
