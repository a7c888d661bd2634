// Texts of others: whatever stands in a title, an id, an option, a tag, a link, a body, a schema or an
// issue is text, runs nothing and breaks no rule of the page.
import { check, eventually, same, Workspace } from './driving.mjs';

const payloads = [
  '<script>ran++</script>', '<img src=x onerror=ran++>', '"><svg onload=ran++>', "'-ran++-'", '<iframe srcdoc="<script>parent.ran++</script>">',
  '<a href="javascript:ran++">x</a>', '{{constructor.constructor("ran++")()}}', '<style>*{display:none}</style>', '<math><mtext></form><form><mglyph><style></math><img src onerror=ran++>',
  '<details open ontoggle=ran++>', '<object data="javascript:ran++">', '<base href="http://evil.test/">', '<meta http-equiv=refresh content="0;url=http://evil.test">', '\u202Egnp.exe\u200B',
];
const quoted = text => JSON.stringify(text);

function hostileWorkspace() {
  const made = new Workspace();
  made.write('evil/_schema.md', `---
name: ${quoted(payloads[0])}
description: ${quoted(payloads[1])}
columns:
  - { id: title, type: text, name: ${quoted(payloads[1])}, description: ${quoted(payloads[2])} }
  - id: status
    type: select
    options: [${payloads.slice(0, 6).map(quoted).join(', ')}]
  - { id: tags, type: multi-select, options: [${payloads.map(quoted).join(', ')}] }
  - { id: link, type: url }
  - { id: due, type: date }
  - { id: list, type: list }
  - { id: any, type: json }
  - { id: next, type: relation, target: evil }
views:
  - { id: board, name: ${quoted(payloads[2])}, type: board, group_by: status, columns: [title, tags, link, next] }
  - { id: days, name: ${quoted(payloads[4])}, type: calendar, date_column: due, columns: [title, status] }
---
${payloads.join('\n\n')}
`);
  payloads.forEach((payload, i) => made.write(`evil/row-${i}.md`, `---
title: ${quoted(payload)}
status: ${quoted(payload)}
tags: [${quoted(payload)}]
link: ${quoted(i % 2 ? 'javascript:ran++' : payload)}
due: 2026-06-${10 + i}
list: [${quoted(payload)}]
any: { ${quoted(payload)}: ${quoted(payload)} }
next: ${quoted(i ? 'row-0' : payload)}
${quoted(payload)}: ${quoted(payload)}
---
# ${payload}

[link](javascript:ran++) [data](data:text/html,<script>ran++</script>) ![picture](http://evil.test/x.png) <${i % 2 ? 'javascript:ran++' : 'http://a.test'}>

${payload}
`));
  made.write('evil/<img src=x onerror=ran++>.md', '---\ntitle: a: b: <script>ran++</script>\n---\n');
  return made;
}

export const page_tests = {
  'hostile texts run nothing, wherever they are shown': async kit => {
    const { server } = await kit.serve(hostileWorkspace());
    const page = await kit.page(server, '#/');
    const rows = payloads.length + 1;
    const visit = async (address, shows) => {
      await page.tab.goto(`${server.url}/${address}`);
      await page.tab.locator(shows).first().waitFor();
      await page.tab.waitForTimeout(60);
      same(await page.tab.evaluate(() => globalThis.ran), 0, `${address}: scripts that ran`);
    };
    await visit('#/', '.home-table');
    await visit('#/evil', `.footer .count:has-text("${rows} rows")`);
    check((await page.tab.locator('.grid').textContent()).includes('<script>ran++</script>'), 'the text is shown as it stands');
    same(await page.tab.locator('.grid a').evaluateAll(all => all.filter(link => !/^https?:|^mailto:/.test(link.getAttribute('href'))).length), 0, 'links to no web address');
    await visit('#/evil?view=board', '.lane');
    await visit('#/evil?view=days&month=2026-06', '.event');
    for (let i = 0; i < payloads.length; ++i) {
      await visit(`#/evil?row=row-${i}`, '.panel-title');
      await page.tab.getByRole('button', { name: 'Preview' }).click();
      await eventually(() => page.tab.locator('.preview h1').count(), 'the preview');
      const bad = await page.tab.locator('.preview').evaluate(place => [...place.querySelectorAll('script,style,iframe,svg,form,object,embed,img,base,meta')].map(node => node.tagName)
        .concat([...place.querySelectorAll('a[href]')].map(link => link.getAttribute('href')).filter(href => !/^(https?:|mailto:)/.test(href)))
        .concat([...place.querySelectorAll('*')].flatMap(node => [...node.attributes].filter(one => /^on|^style$/.test(one.name)).map(one => one.name))));
      same(bad, [], `row-${i}: what a preview must not hold`);
      same(await page.tab.evaluate(() => globalThis.ran), 0, `row-${i}: scripts that ran`);
    }
    await page.press('Control+k');
    await page.tab.locator('.palette input').fill('ran');
    await page.tab.locator('.palette .snippet').first().waitFor();
    await page.tab.getByRole('combobox', { name: 'search rows' }).press('Escape');
    await page.tab.goto(`${server.url}/#/evil`);
    await page.tab.locator('#filter').fill(`${payloads[1].replaceAll(' ', '')} = x`);
    await page.press('Enter');
    await page.tab.locator('#filter-refusal').waitFor();
    same(await page.tab.evaluate(() => globalThis.ran), 0, 'scripts that ran');
    same([...page.hosts].filter(host => host !== new URL(server.url).host), [], 'other hosts that were asked');
  },
};
