// Views of .base files beside those of the schema: listed, shown, followed.
import { check, eventually, same } from './driving.mjs';

const base = `filters:
  and:
    - file.inFolder("stories")
    - status == "open"
formulas:
  double: estimate * 2
  wrong: title - 1
properties:
  formula.double: {displayName: Twice}
views:
  - type: cards
    name: Open stories
    order: [title, formula.double, formula.wrong, file.path]
    sort: [{property: title, direction: ASC}]
    groupBy: {property: assignee, direction: ASC}
    summaries: {formula.double: Sum}
  - type: table
    name: Broken
    filters: 'file.nam == '
`;

const rows = page => page.tab.locator('tr[data-row]').evaluateAll(all => all.map(one => one.dataset.row));

export const page_tests = {
  'a view of a .base file is a tab, and shows what notesdb base shows': async kit => {
    const { server, workspace } = await kit.serve();
    workspace.write('stories/open.base', base);
    const page = await kit.page(server, '#/stories');
    await page.tab.getByRole('tab', { name: 'Open stories' }).click();
    await page.tab.locator('.base-table').waitFor();
    const shown = await rows(page);
    check(shown.length > 1 && shown.every(id => /^status: open$/m.test(workspace.read(`stories/${id}.md`))), shown.join());
    same(await page.tab.locator('.base-table thead th').allTextContents(), ['File', 'title', 'Twice', 'wrong', 'path'], 'columns by the names that the file gives');
    await page.tab.locator('.base-table td .wrong', { hasText: 'Invalid operator between String and Number' }).first().waitFor();
    check((await page.tab.locator('.base-table tfoot').textContent()).includes('Sum'), 'summaries');
    check(await page.tab.locator('.base-group').count() > 1, 'groups');
    check(await page.tab.locator('#filter').count() === 0, 'its filters are its own');
  },

  'a row of it opens, and what is saved is seen': async kit => {
    const { server, workspace } = await kit.serve();
    workspace.write('stories/open.base', base);
    const page = await kit.page(server, '#/stories?view=stories%2Fopen.base%23Open+stories');
    await page.tab.locator('tr[data-row]').first().waitFor();
    const [first] = await rows(page);
    await page.tab.locator(`tr[data-row="${first}"] a`).click();
    await page.tab.locator('.panel').waitFor();
    workspace.write(`stories/${first}.md`, workspace.read(`stories/${first}.md`).replace('status: open', 'status: done'));
    await eventually(async () => !(await rows(page)).includes(first), 'a row that does not match any more goes');
  },

  'what is wrong with a .base file stands above its view': async kit => {
    const { server, workspace } = await kit.serve();
    workspace.write('stories/open.base', base);
    const page = await kit.page(server, '#/stories?view=stories%2Fopen.base%23Broken');
    await page.tab.locator('.issue', { hasText: 'stories/open.base:' }).first().waitFor();
    same(await rows(page), [], 'a filter that cannot be read matches nothing');
  },
};
