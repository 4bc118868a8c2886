/**
 * Builds dist/packages/plugin-api: `@spandrel/plugin-api` as a package of its own, which plugins in folders of their own
 * install without the server. It holds the types, the functions, and the contract suites under `/testing`; `npm pack` makes
 * a tarball of it.
 *
 * Usage: build-plugin-api.mjs [--out <folder>].
 */
import '../bin/require-node.mjs';
import { spawnSync } from 'node:child_process';
import fs, { copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';

const root = fileURLToPath(new URL('..', import.meta.url));
const source = join(root, 'libs/plugin-api/src');
const entries = { index: join(source, 'index.ts'), testing: join(source, 'testing/index.ts') };
const { out } = parseArgs({
  options: { out: { type: 'string', default: join(root, 'dist/packages/plugin-api') } },
}).values;

rmSync(out, { recursive: true, force: true });
await writeCode();
writeTypes();
writePackage();

/** What the package uses of the contract lib goes with it; zod is installed beside it. */
async function writeCode() {
  const bundled = await rolldown({
    cwd: root,
    input: entries,
    platform: 'node',
    tsconfig: join(root, 'tsconfig.json'),
    external: ['zod'],
    treeshake: { moduleSideEffects: false },
  });
  await bundled.write({ dir: out, format: 'esm', chunkFileNames: 'shared.js' });
}

/** Types are checked by the test command; the compiler writes those of other libs too, which stay behind. */
function writeTypes() {
  const written = mkdtempSync(join(tmpdir(), 'spandrel-types-'));
  try {
    const compiler = join(root, 'node_modules/typescript7/bin/tsc');
    const project = join(root, 'libs/plugin-api/tsconfig.types.json');
    const args = [compiler, '--singleThreaded', '-p', project, '--outDir', written];
    const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`the types could not be written:\n${stdout}`);
    const types = join(written, relative(root, source));
    for (const file of fs.globSync('**/*.d.ts', { cwd: types })) {
      if (readFileSync(join(types, file), 'utf8').includes('@spandrel/'))
        throw new Error(`${file}: its types name another lib, which is not in the package`);
    }
    cpSync(types, join(out, 'types'), { recursive: true });
  } finally {
    rmSync(written, { recursive: true, force: true });
  }
}

function writePackage() {
  const { version, license, engines, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const manifest = {
    name: '@spandrel/plugin-api',
    version,
    description: 'Types, functions and contract suites for plugins of Spandrel.',
    license,
    type: 'module',
    engines,
    exports: {
      '.': { types: './types/index.d.ts', default: './index.js' },
      './testing': { types: './types/testing/index.d.ts', default: './testing.js' },
    },
    dependencies: { zod: `^${dependencies.zod}` },
  };
  writeFileSync(join(out, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  copyFileSync(join(root, 'LICENSE'), join(out, 'LICENSE'));
  copyFileSync(join(root, 'libs/plugin-api/README.md'), join(out, 'README.md'));
}

process.stdout.write(`${resolve(out)}\n`);
