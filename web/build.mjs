// build: makes the page out of web/src and writes it as a C++ source that a program carries.
//
//   node build.mjs --npm NPM --need ON|AUTO --to FILE.cpp --apps FILE.cpp [--dir FOLDER]
//
// npm's lock file says which packages; none of their scripts runs. AUTO: where they cannot be had,
// a warning, and a program without the page. --dir writes the files as they are too, for a look.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const web = dirname(fileURLToPath(import.meta.url));
const lock = join(web, 'package-lock.json');
const installed = join(web, 'node_modules', '.notesdb-lock');

const said = new Map();
for (let i = 2; i < process.argv.length; i += 2) said.set(process.argv[i], process.argv[i + 1]);

const hashOf = bytes => createHash('sha256').update(bytes).digest('hex').slice(0, 10);

// The packages of the lock file, unless they are there already.
function install() {
  const wanted = hashOf(readFileSync(lock));
  if (existsSync(installed) && readFileSync(installed, 'utf8') === wanted) return;
  execFileSync(
    said.get('--npm') ?? 'npm',
    ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--fetch-retries=1', '--loglevel=error'],
    { cwd: web, stdio: ['ignore', 'ignore', 'inherit'], timeout: 300_000 });
  writeFileSync(installed, wanted);
}

const shared = {
  bundle: true,
  format: 'esm',
  target: ['chrome115', 'firefox115', 'safari17'],
  minify: true,
  write: false,
  legalComments: 'none',
  logLevel: 'warning',
};

const nameOf = path => path.slice(path.lastIndexOf('/') + 1);
const staticImport = /\bimport\s*(?:\{([^}]*)\}\s*from\s*)?"\.\/([^"]+)"/g;

// The page with the parts of it that are fetched later. What esbuild splits off for the first look,
// a file for each set of users, is laid together again: one request, and it compresses better. The
// later parts then take from that file what they took from its pieces. Each name holds the hash of
// all, since each file knows others by name.
async function bundle() {
  const { build } = await import('esbuild');
  const { outputFiles, metafile } = await build({
    ...shared, absWorkingDir: web, entryPoints: { page: 'src/main.tsx' }, outdir: 'assets', splitting: true,
    jsx: 'automatic', jsxImportSource: 'preact', entryNames: '[name]', chunkNames: '[name]-[hash]', metafile: true,
  });
  const texts = new Map(outputFiles.map(file => [nameOf(file.path), file.text]));
  const hash = hashOf([...texts].sort().join('\0'));
  const final = name => `${name.replace(/(-[A-Z0-9]{8})?\.(\w+)$/, '')}${name.startsWith('chunk') ? /-[A-Z0-9]{8}/.exec(name)[0] : ''}-${hash}.${name.split('.').pop()}`;

  const first = new Set();
  const walk = name => {
    if (first.has(name)) return;
    first.add(name);
    for (const [, , to] of texts.get(name).matchAll(staticImport)) walk(to);
  };
  walk('page.js');
  // Names within a piece are short and repeat: each gets the number of its piece.
  const pieces = [...first].filter(name => name !== 'page.js');
  const exportsOf = name => /export\{([^}]*)\};?\s*$/.exec(texts.get(name))?.[1].split(',').map(one => one.split(' as ').pop()) ?? [];
  const entry = ['import "./page.js";', ...pieces.map((name, i) => `export{${exportsOf(name).map(one => `${one} as p${i}${one}`)}}from"./${name}";`)].join('\n');
  const later = name => name.endsWith('.js') && !first.has(name);
  const joined = await build({
    ...shared, stdin: { contents: entry, resolveDir: '/' }, treeShaking: true,
    plugins: [{ name: 'pieces', setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\.\// }, ({ path }) => (first.has(nameOf(path)) ? { path: nameOf(path), namespace: 'piece' } : { path: `./${final(nameOf(path))}`, external: true }));
      onLoad({ filter: /.*/, namespace: 'piece' }, ({ path }) => ({ contents: texts.get(path), loader: 'js' }));
    } }],
  });
  const taken = text => text.replace(staticImport, (whole, names, to) => {
    const piece = pieces.indexOf(to);
    if (piece < 0) return whole.replace(to, final(to));
    const list = names?.split(',').map(one => { const [from, as = from] = one.split(' as '); return `p${piece}${from} as ${as}`; });
    return `import${list ? `{${list}}from` : ''}"./${final('page.js')}"`;
  }).replace(/\bimport\("\.\/([^"]+)"\)/g, (_, to) => `import("./${final(to)}")`);
  const files = [{ name: final('page.js'), text: joined.outputFiles[0].text }];
  for (const [name, text] of texts) if (!first.has(name)) files.push({ name: final(name), text: later(name) ? taken(text) : text });
  return { files, inputs: Object.keys(metafile.inputs) };
}

// The apps of src/app: one HTML file each, with its script and its style in it.
async function bundleApps() {
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    ...shared, format: 'iife', absWorkingDir: web, entryPoints: { app: 'src/app/main.tsx' }, outdir: 'assets', jsx: 'automatic',
    jsxImportSource: 'preact',
  });
  const text = ending => outputFiles.find(file => file.path.endsWith(ending)).text;
  // Nothing within ends the element that it stands in.
  const script = text('.js').replaceAll('</script', '<\\/script');
  const shell = readFileSync(join(web, 'src/app/index.html'), 'utf8');
  return ['table', 'board'].map(view => ({
    uri: `ui://notesdb/${view}`,
    bytes: Buffer.from(shell.replace('@VIEW@', view).replace('@STYLE@', () => text('.css')).replace('@SCRIPT@', () => script)),
  }));
}

const types = { js: 'text/javascript; charset=utf-8', css: 'text/css; charset=utf-8', svg: 'image/svg+xml', html: 'text/html; charset=utf-8' };

// Name and licence of each package that is in, with its licence text.
function licenses(inputs) {
  const packages = new Set();
  for (const input of inputs) {
    const found = /^node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (found) packages.add(found[1]);
  }
  const parts = ['What the page of notesdb is made of, beside notesdb itself (Apache-2.0).'];
  for (const name of [...packages].sort()) {
    const folder = join(web, 'node_modules', name);
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
    const file = readdirSync(folder).find(entry => /^licen[cs]e/i.test(entry));
    const text = file ? readFileSync(join(folder, file), 'utf8').trim() : '';
    parts.push(`${name} ${version}, ${license}${text ? `\n\n${text}` : ''}`);
  }
  return `${parts.join('\n\n' + '-'.repeat(72) + '\n\n')}\n`;
}

function assetsOf({ files, inputs }) {
  const assets = files.map(({ name, text }) => (
    { path: `/assets/${name}`, type: types[name.slice(name.lastIndexOf('.') + 1)], bytes: Buffer.from(text) }));
  const find = ending => assets.find(asset => asset.path.startsWith('/assets/page-') && asset.path.endsWith(ending)).path;
  const icon = readFileSync(join(web, 'src/icon.svg'));
  const iconPath = `/assets/icon-${hashOf(icon)}.svg`;
  assets.push({ path: iconPath, type: types.svg, bytes: icon });
  const shell = readFileSync(join(web, 'src/index.html'), 'utf8')
    .replace('@SCRIPT@', find('.js')).replace('@STYLE@', find('.css')).replace('@ICON@', iconPath);
  assets.push({ path: '/', type: types.html, bytes: Buffer.from(shell) });
  assets.push({ path: '/licenses', type: 'text/plain; charset=utf-8', bytes: Buffer.from(licenses(inputs)) });
  return assets;
}

// Bytes as a C++ string literal. Octal escapes end after three digits, whatever follows.
function literal(bytes) {
  const lines = [];
  for (let begin = 0; begin < bytes.length; begin += 4000) {
    let line = '';
    for (const byte of bytes.subarray(begin, begin + 4000)) {
      const plain = byte >= 0x20 && byte < 0x7f && byte !== 0x22 && byte !== 0x5c && byte !== 0x3f;
      line += plain ? String.fromCharCode(byte) : `\\${byte.toString(8).padStart(3, '0')}`;
    }
    lines.push(`"${line}"`);
  }
  return lines.length ? lines.join('\n') : '""';
}

function source(assets) {
  const view = bytes => `std::string_view(${literal(bytes)}, ${bytes.length})`;
  const entries = assets.map(({ path, type, bytes }) =>
    `  {"${path}", "${type}", ${view(bytes)}, ${view(gzipSync(bytes, { level: 9 }))}},`);
  return `#include <array>\n\n#include "http/site.h"\n\nnamespace notesdb::http {\n\n` +
    `namespace {\n\nconst std::array<Asset, ${assets.length}> assets{{\n${entries.join('\n')}\n}};\n\n}  // namespace\n\n` +
    `Assets page_assets() {\n  return assets;\n}\n\n}  // namespace notesdb::http\n`;
}

const appSource = apps =>
  `#include <array>\n\n#include "serving/app_pages.h"\n\nnamespace notesdb {\n\nnamespace {\n\n` +
  `const std::array<AppPage, ${apps.length}> pages{{\n` +
  apps.map(({ uri, bytes }) => `  {"${uri}", std::string_view(${literal(bytes)}, ${bytes.length})},`).join('\n') +
  `\n}};\n\n}  // namespace\n\nstd::span<const AppPage> app_pages() {\n  return pages;\n}\n\n}  // namespace notesdb\n`;

function withoutPage(why) {
  console.error(`\nwarning: the page is left out of notesdb-serve: ${why}\n`);
  return '#include "http/site.h"\n\nnamespace notesdb::http {\n\nAssets page_assets() {\n  return {};\n}\n\n}  // namespace notesdb::http\n';
}

function writeFolder(assets, folder) {
  for (const { path, bytes } of assets) {
    const file = join(folder, path === '/' ? 'index.html' : path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
  }
}

let text;
let apps = [];
try {
  install();
} catch (problem) {
  if (said.get('--need') !== 'AUTO') throw problem;
  text = withoutPage(`npm ci failed (${String(problem.message).split('\n')[0]})`);
}
if (!text) {
  const assets = assetsOf(await bundle());
  apps = await bundleApps();
  if (said.has('--dir')) writeFolder([...assets, ...apps.map(({ uri, bytes }) => ({ path: `/${uri.split('/').pop()}.html`, bytes }))], said.get('--dir'));
  text = source(assets);
}
if (said.has('--to')) writeFileSync(said.get('--to'), text);
if (said.has('--apps')) writeFileSync(said.get('--apps'), appSource(apps));
