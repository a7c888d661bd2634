// The pictures of the docs: taken of the sample when --pictures names a folder, with the words that stand
// in them, by which the test knows whether they still show what the page shows.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { same, source } from './driving.mjs';

const shown = [
  ['table', '#/stories?group=status&row=story-003', '.cm-content'],
  ['board', '#/stories?view=board', '[data-card="story-005"]'],
  ['check', '#/?show=check', '.fixes button'],
];

// What is there with any font, however many columns fit.
const telling = '.sidebar, .toolbar, .view-menus, .heading-cell, .cell.title, .panel-title, .field-name, .lane-head, .card, .checked-file';

const wordsFile = join(source, 'docs/pictures/words.json');

export const page_tests = {
  'the pictures of the docs show what the page shows': async kit => {
    const { server } = await kit.serve();
    const words = {};
    for (const [name, address, ready] of shown) {
      const page = await kit.page(server, address, { viewport: { width: 1280, height: 680 } });
      await page.tab.locator(ready).first().waitFor();
      await page.tab.waitForTimeout(500);
      words[name] = (await page.tab.locator(telling).allInnerTexts()).map(text => text.replace(/\s+/g, ' ').trim());
      if (kit.pictures) await page.tab.screenshot({ path: join(kit.pictures, `page-${name}.png`) });
    }
    if (kit.pictures) writeFileSync(wordsFile, `${JSON.stringify(words, null, 1)}\n`);
    const before = existsSync(wordsFile) ? JSON.parse(readFileSync(wordsFile, 'utf8')) : {};
    same(words, before, 'the pictures are old; take them again with: ninja page_pictures');
  },
};
