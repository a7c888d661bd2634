// Board, calendar, new rows, search, links: whole tasks, without a mouse and with one.
import { check, eventually, same } from './driving.mjs';

const lane = (page, name) => page.tab.locator(`[data-lane="${name}"]`);
const cards = async (page, name) => lane(page, name).locator('[data-card]').evaluateAll(all => all.map(card => card.dataset.card));

export const page_tests = {
  'a card is moved by key: one field of one row is written': async kit => {
    const { server, workspace } = await kit.serve();
    const page = await kit.page(server, '#/stories?view=board');
    await lane(page, 'open').locator('[data-card="story-005"]').waitFor();
    same(await page.tab.locator('.lane').evaluateAll(all => all.map(one => one.dataset.lane)), ['idea', 'open', 'doing', 'done', 'dropped'], 'lanes in the order of the schema');
    const before = workspace.read('stories/story-005.md');
    await lane(page, 'open').locator('[data-card="story-005"]').focus();
    await page.press('Control+ArrowRight');
    await eventually(() => workspace.read('stories/story-005.md') === before.replace('status: open', 'status: doing'), 'one line of the file');
    await eventually(async () => (await cards(page, 'doing')).includes('story-005') && !(await cards(page, 'open')).includes('story-005'), 'the card lies there');
    await page.press('Control+z');
    await eventually(() => workspace.read('stories/story-005.md') === before, 'undo');
  },

  'a card is moved by drag, and goes back with the reason where that is refused': async kit => {
    const { server, workspace } = await kit.serve();
    const page = await kit.page(server, '#/stories?view=board');
    const card = lane(page, 'open').locator('[data-card="story-004"]');
    await card.waitFor();
    await card.dragTo(lane(page, 'done').locator('.cards'));
    await eventually(() => /^status: done$/m.test(workspace.read('stories/story-004.md')), 'the file');
    const schema = workspace.read('stories/_schema.md');
    workspace.write('stories/story-012.md', workspace.read('stories/story-012.md').replace('title: ', 'title: ['));
    await page.tab.route('**/call/db_update_row', route => route.fulfill({ status: 422, contentType: 'application/json', body: '{"code":"invalid_value","message":"status says no","data":{}}' }));
    await lane(page, 'open').locator('[data-card="story-006"]').dragTo(lane(page, 'done').locator('.cards'));
    await page.tab.locator('.toast', { hasText: 'story-006 stays in open: status says no' }).waitFor();
    await eventually(async () => (await cards(page, 'open')).includes('story-006'), 'it is back');
    same(workspace.read('stories/_schema.md'), schema, 'the schema');
  },

  'a row is moved from day to day by key and by drag, and to the tray': async kit => {
    const { server, workspace } = await kit.serve();
    const page = await kit.page(server, '#/stories?view=calendar&month=2026-06');
    const item = page.tab.locator('[data-event="story-003"]');
    await item.waitFor();
    const before = workspace.read('stories/story-003.md');
    await item.focus();
    await page.press('Control+ArrowRight');
    await eventually(() => /^due: 2026-06-21$/m.test(workspace.read('stories/story-003.md')), 'a day later');
    await page.tab.locator('[data-day="2026-06-21"] [data-event="story-003"]').waitFor();
    await page.tab.locator('[data-event="story-003"]').dragTo(page.tab.locator('[data-day="2026-06-20"]'));
    await eventually(() => workspace.read('stories/story-003.md') === before, 'and back, byte for byte');
  },

  'months have the right days in any time zone': async kit => {
    const { server } = await kit.serve();
    for (const timezoneId of ['UTC', 'Pacific/Auckland', 'America/Los_Angeles', 'Asia/Kathmandu']) {
      const page = await kit.page(server, '#/stories?view=calendar&month=2028-02', { timezoneId });
      await page.tab.locator('.month-day').first().waitFor();
      const days = await page.tab.locator('.month-day').evaluateAll(all => all.map(one => one.dataset.day));
      check(days.includes('2028-02-29') && days[0] === '2028-01-31' && new Set(days).size === days.length, `${timezoneId}: ${days.join(' ')}`);
      await page.context.close();
    }
  },

  'a row is made, found by search, followed by its links and deleted, all by key': async kit => {
    const { server, workspace } = await kit.serve();
    const page = await kit.page(server, '#/stories');
    await page.table('12 rows');
    await page.press('n');
    await page.tab.locator('dialog input').first().waitFor();
    await page.tab.keyboard.type('A shelf for maps');
    await page.press('Enter');
    await eventually(() => workspace.exists('stories/story-013.md'), 'the file');
    await page.tab.locator('.panel-title', { hasText: 'A shelf for maps' }).waitFor();
    await page.press('Control+k');
    await page.tab.locator('.palette input').waitFor();
    await page.tab.keyboard.type('armchair');
    await page.tab.locator('.palette [role=option]', { hasText: 'Buy a second armchair' }).waitFor();
    await page.press('Enter');
    await page.tab.locator('.panel-title', { hasText: 'Buy a second armchair' }).waitFor();
    check(page.tab.url().includes('row=story-007'), 'it is in the address');
    await page.tab.goBack();
    await page.tab.locator('.panel-title', { hasText: 'A shelf for maps' }).waitFor();
    await page.tab.getByLabel('more about this row').click();
    await page.tab.getByRole('menuitem', { name: 'Delete row' }).click();
    await eventually(() => !workspace.exists('stories/story-013.md'), 'deleted');
    await page.tab.locator('.toast button').click();
    await eventually(() => workspace.exists('stories/story-013.md'), 'and undone');
  },

  'links, in the text and in its preview, and backlinks lead to their rows': async kit => {
    const { server } = await kit.serve();
    const page = await kit.page(server, '#/stories?row=story-003');
    await page.tab.locator('section', { hasText: 'Linked from' }).getByRole('link', { name: 'Ada Okafor' }).click();
    await page.tab.locator('.panel-title', { hasText: 'Ada Okafor' }).waitFor();
    await page.tab.locator('section', { hasText: 'Links to' }).getByRole('link', { name: 'Put the catalogue online' }).click();
    await page.tab.locator('.panel-title', { hasText: 'Put the catalogue online' }).waitFor();
    await page.tab.getByRole('button', { name: 'Preview' }).click();
    await page.tab.locator('.preview').getByRole('link', { name: 'Ada' }).click();
    await page.tab.locator('.panel-title', { hasText: 'Ada Okafor' }).waitFor();
  },

  'a view is made of what is seen, and dropped': async kit => {
    const { server, workspace } = await kit.serve();
    const page = await kit.page(server, '#/stories?where=status+%3D+open');
    await page.table('5 rows');
    await page.tab.getByLabel('new view').click();
    await page.tab.getByRole('menuitem', { name: 'Board by Status' }).click();
    await page.tab.locator('.board').waitFor();
    check(workspace.read('stories/_schema.md').includes('board-by-status'), 'the schema has it');
    await page.tab.getByLabel('copies and more').click();
    await page.tab.getByRole('menuitem', { name: /Drop the view/ }).click();
    await eventually(() => !workspace.read('stories/_schema.md').includes('board-by-status'), 'and has it no more');
  },

  'a read-only workspace has nothing that writes': async kit => {
    const { server } = await kit.serve(undefined, ['--read-only']);
    const page = await kit.page(server, '#/stories');
    await page.table('12 rows');
    same(await page.tab.getByText('New', { exact: true }).count(), 0, 'a button for new rows');
    await page.press('Enter');
    same(await page.tab.locator('.editor').count(), 0, 'an editor');
    same(await page.tab.getByLabel('new view').count(), 0, 'new views');
    const refused = await server.call('db_insert_row', { database_id: 'stories', fields: { title: 'x' } });
    same([refused.status, refused.body.code], [403, 'read_only'], 'a call by hand');
  },
};
