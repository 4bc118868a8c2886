/**
 * Builds dist/packages/plugin-api: `@spandrel/plugin-api` as a package of its own, which plugins in folders of their own
 * install without the server. It holds the types, the functions, and the contract suites under `/testing`; `npm pack` makes
 * a tarball of it.
 *
 * Usage: build-plugin-api.mjs [--out <folder>].
 */
import '../bin/require-node.mjs';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { rolldown } from 'rolldown';
import ts from 'typescript';

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

function writeTypes() {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
  const program = ts.createProgram(Object.values(entries), {
    ...options,
    declaration: true,
    emitDeclarationOnly: true,
  });
  const { emitSkipped } = program.emit(undefined, (path, text, _bom, _error, sources) => {
    const from = relative(source, sources[0].fileName);
    if (from.startsWith('..')) return;
    if (text.includes('@spandrel/'))
      throw new Error(`${from}: its types name another lib, which is not in the package`);
    const file = join(out, 'types', from.replace(/\.ts$/, '.d.ts'));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  });
  if (emitSkipped) throw new Error('the types could not be written');
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
