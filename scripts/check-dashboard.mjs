/**
 * Checks the dashboard: no colour outside the tokens, and what a browser fetches of the build stays within its budget.
 *
 * `node scripts/check-dashboard.mjs [root]` prints one line a fault and ends with 1 when there is one.
 */
import '../bin/require-node.mjs';
import fs, { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const root = process.argv[2] ?? fileURLToPath(new URL('..', import.meta.url));
const assets = join(root, 'dist', 'dashboard', 'assets');

/** Kilobytes as they are sent, gzipped. What a page needs before its list works, all scripts, all styles. */
const BUDGET = { first: 150, scripts: 600, styles: 25 };
/** The page that is fetched first, with all that it imports, and what it asks for together with its rows. */
const FIRST_PAGE = /^(?:traces-page|shown-buckets)-.*\.js$/;

const faults = [
  ...colourFaults(),
  ...(existsSync(assets) ? sizeFaults() : [`${assets} is not there: run npm run build`]),
];
for (const fault of faults) console.error(fault);
process.exitCode = faults.length > 0 ? 1 : 0;

/** A colour that is no token is the same in both palettes, and nobody has looked at its contrast. */
function colourFaults() {
  const literal = /#[0-9a-f]{3,8}\b(?=[^'"`]*;)|\b(?:rgba?|hsla?|oklch|oklab|hwb)\(/i;
  return fs
    .globSync('apps/dashboard/src/**/*.css', { cwd: root })
    .filter((file) => basename(file) !== 'tokens.css')
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .map((line, at) => ({ file, line, at })),
    )
    .filter(({ line }) => literal.test(line))
    .map(({ file, at }) => `${file}:${at + 1}: a colour; colours are tokens (apps/dashboard/src/styles/tokens.css)`);
}

function sizeFaults() {
  const files = fs.readdirSync(assets);
  const scripts = files.filter((file) => file.endsWith('.js'));
  const styles = files.filter((file) => file.endsWith('.css'));
  const page = readFileSync(join(assets, '..', 'index.html'), 'utf8');
  const entries = [...page.matchAll(/src="\/assets\/([^"]+\.js)"/g)].map(([, file]) => file);
  // Scripts without a hash run before the page is drawn (`theme.js`).
  const before = [...page.matchAll(/src="\/([^"/]+\.js)"/g)].map(([, file]) => join('..', file));
  const first = withImports([...entries, ...scripts.filter((file) => FIRST_PAGE.test(file))]);
  const sizes = { first: kilobytes([...before, ...first]), scripts: kilobytes(scripts), styles: kilobytes(styles) };
  console.log(`first ${sizes.first} KB, scripts ${sizes.scripts} KB, styles ${sizes.styles} KB, gzipped`);
  const large = Object.keys(BUDGET)
    .filter((part) => sizes[part] > BUDGET[part])
    .map((part) => `dist/dashboard: ${part} ${sizes[part]} KB gzipped, more than ${BUDGET[part]}`);
  return [...large, ...scripts.filter(importsItself).map((file) => `${file} imports itself by way of others`)];
}

/** Which of two files in a ring runs first depends on the page that is opened: on some a constant is not there yet. */
function importsItself(file) {
  return withImports(importsOf(file)).includes(file);
}

function importsOf(file) {
  // Minified: `import{a as b}from"./x.js"` and `import"./x.js"`; what is imported when needed is `import("./x.js")`.
  const found = readFileSync(join(assets, file), 'utf8').matchAll(/(?:from|import)\s*["'`]\.\/([\w.-]+\.js)["'`]/g);
  return Array.from(found, ([, name]) => name);
}

/** Files and what they import before they run. */
function withImports(names) {
  const found = new Set();
  const queue = [...names];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (found.has(name)) continue;
    found.add(name);
    queue.push(...importsOf(name));
  }
  return [...found];
}

function kilobytes(files) {
  // build-dashboard.mjs compresses what is sent like this.
  const sent = (file) => gzipSync(readFileSync(join(assets, file)), { level: 9 }).length;
  const bytes = files.reduce((sum, file) => sum + sent(file), 0);
  return Math.round(bytes / 100) / 10;
}
