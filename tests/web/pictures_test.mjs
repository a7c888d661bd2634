// The pictures of the docs, taken of the sample when --pictures names a folder, so that they are what
// the page looks like.
import { join } from 'node:path';

export const page_tests = {
  'table and board are shown with everything in them': async kit => {
    const { server } = await kit.serve();
    for (const [name, address, shown] of [['table', '#/stories?row=story-003', '.panel-title'], ['board', '#/stories?view=board', '[data-card="story-005"]']]) {
      const page = await kit.page(server, address, { viewport: { width: 1200, height: 640 } });
      await page.tab.locator(shown).waitFor();
      await page.tab.waitForTimeout(500);
      if (kit.pictures) await page.tab.screenshot({ path: join(kit.pictures, `page-${name}.png`) });
    }
  },
};
