/**
 * Builds the page of files with traces (docs/replay.md#one-file): one HTML page with all that it needs within it, into which
 * `GET /api/traces/:id/bundle` puts the traces.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { licensesOf } from './package-licenses.mjs';

/** Kilobytes of the whole page without traces. */
const BUDGET = 400;

/** Workers of the dashboard that the page has, too; what others do it has no use for. */
const WORKERS = ['payload.worker'];

/** Opens the scripts of the page, which are compressed, and runs them. Its digest is in the policy. */
const LOADER = `
const open = async (name) => {
  const bytes = Uint8Array.from(atob(document.querySelector('[data-app=' + name + ']').textContent), (c) => c.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))).text();
};
Promise.all([open('styles'), open('script')]).then(([styles, script]) => {
  for (const [kind, text] of [['style', styles], ['script', script]]) {
    const element = document.createElement(kind);
    if (kind === 'script') element.type = 'module';
    element.textContent = text;
    document.head.append(element);
  }
}).catch(() => {
  document.getElementById('root').textContent = 'This browser is too old to open the file.';
});
`;

/** Writes `page.html` into a folder. @param root of the repository. @param assets the built dashboard's, which has the workers. */
export async function buildTraceFile(root, folder, assets) {
  const { build } = await import('vite');
  const workers = readdirSync(assets);
  const output = await build({
    configFile: join(root, 'apps/dashboard/vite.config.ts'),
    logLevel: 'warn',
    publicDir: false,
    plugins: [{ ...withWorkers(assets, workers), enforce: 'pre' }],
    build: {
      write: false,
      cssCodeSplit: false,
      rolldownOptions: {
        input: join(root, 'apps/dashboard/src/file/main.tsx'),
        output: { codeSplitting: false },
      },
    },
  });
  const files = [output].flat().flatMap(({ output: made }) => made);
  const script = files.find(({ type }) => type === 'chunk').code;
  const styles = files.find(({ fileName }) => fileName.endsWith('.css')).source.toString();
  const modules = files.flatMap(({ moduleIds = [] }) => moduleIds).map((id) => id.replace(/^\0/, ''));
  const page = pageOf({ script, styles, licenses: licensesOf(modules) });
  const kilobytes = Math.round(page.length / 100) / 10;
  if (kilobytes > BUDGET) throw new Error(`the page of files with traces has ${kilobytes} KB, more than ${BUDGET}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'page.html'), page);
}

/** Workers of which the page makes an address itself: a file on a disk may not load another one. */
function withWorkers(assets, names) {
  return {
    name: 'workers-within',
    resolveId: (source) => (source.endsWith('?worker&url') ? `\0within:${source}` : null),
    load: (id) => {
      if (!id.startsWith('\0within:')) return null;
      const worker = WORKERS.find((name) => id.includes(`/${name}.`));
      if (worker === undefined) return "export default ''";
      const code = readFileSync(
        join(
          assets,
          names.find((name) => name.startsWith(worker) && name.endsWith('.js')),
        ),
        'utf8',
      );
      return `export default URL.createObjectURL(new Blob([${JSON.stringify(code)}], { type: 'text/javascript' }))`;
    },
  };
}

function pageOf({ script, styles, licenses }) {
  const policy = [
    "default-src 'none'",
    `script-src ${[LOADER, script].map(digest).join(' ')}`,
    `style-src ${digest(styles)}`,
    'img-src data: blob:',
    'worker-src blob:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  const within = (name, text) =>
    `<script type="text/plain" data-app="${name}">${gzipSync(text, { level: 9 }).toString('base64')}</script>`;
  return `<!doctype html>
<html lang="en" data-theme="system" data-density="compact">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="referrer" content="no-referrer">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Trace</title>
</head>
<body>
<div id="root">Opening the file …</div>
<noscript>The file needs JavaScript to be read.</noscript>
${within('styles', styles)}
${within('script', script)}
${within('licenses', licenses)}
<!-- parts -->
<script type="module">${LOADER}</script>
</body>
</html>
`;
}

const digest = (text) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
