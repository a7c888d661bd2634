// Who sees little or hears the page: axe-core finds nothing serious in any view, light or dark.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { check, same, source } from './driving.mjs';

const axe = readFileSync(join(source, 'web/node_modules/axe-core/axe.min.js'), 'utf8');

// Each view with what is open in it, and what shows that it is there.
const views = [
  ['home', '#/', '.home-table', null],
  ['a table', '#/stories', '#cell-0-0', null],
  ['a table in groups', '#/stories?group=status', '.heading-cell', null],
  ['a table with conditions', '#/stories?where=status+%3D+open&sort=due:desc', '#cell-0-0', null],
  ['a cell in edit', '#/stories', '#cell-0-0', async tab => { await tab.locator('[role=grid]').focus(); await tab.keyboard.press('ArrowRight'); await tab.keyboard.press('Enter'); await tab.locator('.choosing').waitFor(); }],
  ['a board', '#/stories?view=board', '[data-card]', null],
  ['a calendar', '#/stories?view=calendar&month=2026-06', '[data-event]', null],
  ['a row', '#/stories?row=story-003', '.cm-content', null],
  ['a row with an issue', '#/stories?row=story-009', '.fixes button', null],
  ['a preview', '#/stories?row=story-003', '.cm-content', async tab => { await tab.getByRole('button', { name: 'Preview' }).click(); await tab.locator('.preview li').first().waitFor(); }],
  ['what is wrong', '#/?show=check', '.checked-file', null],
  ['search', '#/', '.home-table', async tab => { await tab.keyboard.press('Control+k'); await tab.locator('.palette [role=option]').first().waitFor(); }],
  ['keys', '#/', '.home-table', async tab => { await tab.keyboard.press('?'); await tab.locator('.help').waitFor(); }],
  ['a new row', '#/stories', '#cell-0-0', async tab => { await tab.getByRole('button', { name: 'New', exact: true }).click(); await tab.locator('.dialog').waitFor(); }],
  ['a new database', '#/', '.home-table', async tab => { await tab.getByRole('main').getByRole('button', { name: 'New database' }).click(); await tab.locator('.new-column').waitFor(); }],
  ['a menu', '#/stories', '#cell-0-0', async tab => { await tab.getByRole('button', { name: 'Columns' }).first().click(); await tab.locator('.choice').first().waitFor(); }],
];

async function problemsOf(tab) {
  await tab.evaluate(() => document.getAnimations().forEach(animation => animation.finish()));
  const session = await tab.context().newCDPSession(tab);
  await session.send('Runtime.evaluate', { expression: axe });   // past the policy of the page, which allows no other scripts
  const { violations } = await tab.evaluate(() => globalThis.axe.run(document, { resultTypes: ['violations'] }));
  return violations.filter(one => one.impact === 'serious' || one.impact === 'critical')
    .map(one => `${one.id}: ${one.help}: ${one.nodes.slice(0, 3).map(node => `${node.html.slice(0, 160)} ${(node.any[0]?.message ?? '').slice(0, 140)}`).join(' | ')}`);
}

export const page_tests = Object.fromEntries(['light', 'dark'].map(colorScheme => [
  `nothing serious stands in the way of anybody, in any view, ${colorScheme}`, async kit => {
    const { server } = await kit.serve();
    const page = await kit.page(server, '#/', { colorScheme });
    const found = [];
    for (const [name, address, shown, open] of views) {
      await page.tab.goto(`${server.url}/licenses`);
      await page.tab.goto(`${server.url}/${address}`);
      await page.tab.locator(shown).first().waitFor();
      if (open) await open(page.tab);
      for (const problem of await problemsOf(page.tab)) found.push(`${name}: ${problem}`);
    }
    check(views.length >= 16, 'all views are looked at');
    same(found, [], 'what axe finds serious');
  },
]));
