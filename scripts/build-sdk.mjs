/**
 * Builds dist/packages/sdk: `@spandrel/sdk` as a package of its own, which applications install without the server: the
 * tracing entry, and `/eval`; `npm pack` makes a tarball of it. ES modules and CommonJS (`cjs`), each for Node and,
 * without an import of a platform, for browsers and edge runtimes (`browser`, `cjs/browser`). One file an entry, what both
 * share, and the client of the API; not minified, so that stack traces can be read.
 *
 * Usage: build-sdk.mjs [--out <folder>] [--no-types]; types take some seconds, which who only runs it can save.
 */
import '../bin/require-node.mjs';
import { spawnSync } from 'node:child_process';
import fs, { copyFileSync, cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const lib = join(root, 'libs/sdk');
const { out, types: withTypes } = parseArgs({
  options: {
    out: { type: 'string', default: join(root, 'dist/packages/sdk') },
    types: { type: 'boolean', default: true },
  },
  allowNegative: true,
}).values;

const BUILDS = [
  { folder: '.', format: 'esm', isPortable: false },
  { folder: 'cjs', format: 'cjs', isPortable: false },
  { folder: 'browser', format: 'esm', isPortable: true },
  { folder: 'cjs/browser', format: 'cjs', isPortable: true },
];

rmSync(out, { recursive: true, force: true });
for (const build of BUILDS) await writeCode(build);
writeManifest('cjs', { type: 'commonjs', sideEffects: false });
// Resolvers that know no "exports" (TypeScript with node10, Jest 27) look for the second entry in a folder of its name.
writeManifest('eval', { main: '../cjs/eval.js', module: '../eval.js', types: '../cjs/types/eval.d.ts' });
if (withTypes) writeTypes();
for (const file of ['package.json', 'README.md']) copyFileSync(join(lib, file), join(out, file));
copyFileSync(join(root, 'LICENSE'), join(out, 'LICENSE'));
process.stdout.write(`${resolve(out)}\n`);

async function writeCode({ folder, format, isPortable }) {
  const allowed = isPortable ? [] : ['node:async_hooks'];
  const bundled = await rolldown({
    cwd: root,
    input: { index: join(lib, 'src/index.ts'), eval: join(lib, 'src/eval.ts') },
    // Nothing of a platform but what is imported by name: it runs on several.
    platform: 'neutral',
    tsconfig: join(root, 'tsconfig.json'),
    external: allowed,
    resolve: isPortable ? { alias: { 'node:async_hooks': join(lib, 'src/tracing/portable-storage.ts') } } : {},
    treeshake: { moduleSideEffects: false },
    transform: { target: 'es2022' },
  });
  const { output } = await bundled.write({ dir: join(out, folder), format, chunkFileNames: nameOf });
  for (const { fileName, imports = [] } of output) {
    const foreign = imports.filter((name) => !allowed.includes(name) && !output.some((file) => file.fileName === name));
    if (foreign.length > 0)
      throw new Error(`${folder}/${fileName} imports ${foreign.join(', ')}, which an application does not have`);
  }
}

function writeManifest(folder, manifest) {
  mkdirSync(join(out, folder), { recursive: true });
  writeFileSync(join(out, folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
}

/** What is loaded when it is first used has its own name: what only records needs no table of operations. */
function nameOf({ isDynamicEntry }) {
  return isDynamicEntry ? '[name].js' : 'shared.js';
}

/** Types are checked by the test command. */
function writeTypes() {
  const compiler = join(root, 'node_modules/typescript7/bin/tsc');
  const types = join(out, 'types');
  const args = [compiler, '--singleThreaded', '-p', join(lib, 'tsconfig.types.json'), '--outDir', types];
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`the types could not be written:\n${stdout}`);
  for (const file of fs.globSync('**/*.d.ts', { cwd: types })) {
    if (readFileSync(join(types, file), 'utf8').includes('@spandrel/'))
      throw new Error(`${file}: its types name the repository, which an application does not have`);
  }
  // The nearest package.json says of which kind of module they are.
  cpSync(types, join(out, 'cjs/types'), { recursive: true });
}
