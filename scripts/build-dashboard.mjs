/** Builds the dashboard with Vite, and writes the encodings beside its files in which the server sends them. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { licensesOf } from './package-licenses.mjs';

/** Files whose contents are text. */
const COMPRESSED = new Set(['.html', '.js', '.css', '.svg', '.json', '.txt']);
/** Beyond it a file gets hardly smaller, and each step takes several times as long. */
const BROTLI_QUALITY = 9;

/** Writes the dashboard into a folder, which is emptied. @param root of the repository. */
export async function buildDashboard(root, folder) {
  // Tests set another one, under which React's development build would be bundled, three times as large.
  process.env.NODE_ENV = 'production';
  // An installation without development packages has no Vite, and builds nothing.
  const { build } = await import('vite');
  const { output } = await build({
    configFile: join(root, 'apps/dashboard/vite.config.ts'),
    logLevel: 'warn',
    build: { outDir: folder, emptyOutDir: true },
  });
  const modules = output.flatMap(({ moduleIds = [] }) => moduleIds).map((id) => id.replace(/^\0/, ''));
  writeFileSync(join(folder, 'licenses.txt'), licensesOf(modules));
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && COMPRESSED.has(extname(entry.name)))
    .map((entry) => join(entry.parentPath, entry.name));
  await Promise.all(files.map(compress));
}

/** Writes `.br` and `.gz` beside a file, each where it is smaller. */
async function compress(file) {
  const bytes = readFileSync(file);
  const encoded = {
    br: await promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
    gz: await promisify(gzip)(bytes, { level: 9 }),
  };
  for (const [extension, smaller] of Object.entries(encoded)) {
    if (smaller.length < bytes.length) writeFileSync(`${file}.${extension}`, smaller);
  }
}
