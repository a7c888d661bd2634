// run PROGRAM [--only WORDS] [--pictures FOLDER]: the page, in Chromium, on the real server. Ends with
// 77 where there is no browser. `page_tests` of each file are claims with what shows them.
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { Page, Server, Workspace, findBrowser } from './driving.mjs';

const [program, ...rest] = process.argv.slice(2);
const flags = new Map();
for (let i = 0; i < rest.length; i += 2) flags.set(rest[i], rest[i + 1]);

const { chromium, executablePath, why } = await findBrowser();
if (!chromium) {
  console.log(`SKIPPED: the page was not looked at, since there is ${why}`);
  process.exit(77);
}
const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
const launch = args => chromium.launch({ executablePath, args: [...sandbox, ...args] });
const browser = await launch([]);

// What a test is given: a sample workspace, its server, a page; all go when it ends.
async function run(test) {
  const opened = [];
  const kit = {
    browser, launch, program, pictures: flags.get('--pictures'),
    async serve(workspace = Workspace.sample(), more = []) {
      const server = await Server.start(program, workspace, more);
      opened.push(async () => { await server.stop(); workspace.remove(); return []; });
      return { workspace, server };
    },
    async page(server, address, options) {
      const page = await Page.open(browser, server, address, options);
      opened.push(() => page.close());
      return page;
    },
  };
  const problems = [];
  try {
    await test(kit);
  } catch (problem) {
    problems.push(problem.constructor.name === 'Failure' ? problem.message : problem.stack);
  }
  for (const close of opened.reverse()) problems.push(...(await close()));
  return problems;
}

const folder = dirname(fileURLToPath(import.meta.url));
let failed = 0;
let count = 0;
for (const file of readdirSync(folder).filter(name => name.endsWith('_test.mjs')).sort()) {
  const { page_tests } = await import(join(folder, file));
  for (const [claim, test] of Object.entries(page_tests)) {
    if (flags.has('--only') && !claim.includes(flags.get('--only'))) continue;
    const begun = performance.now();
    const problems = await run(test);
    ++count;
    if (problems.length) ++failed;
    console.log(`${problems.length ? 'FAILED' : 'ok    '} ${Math.round(performance.now() - begun).toString().padStart(5)} ms  ${claim}`);
    for (const problem of problems) console.log(`         ${problem}`);
  }
}
await browser.close();
console.log(failed ? `${failed} of ${count} claims about the page do not hold` : `all ${count} claims about the page hold`);
process.exit(failed ? 1 : 0);
