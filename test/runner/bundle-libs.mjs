/**
 * The code under test, bundled for whole-system tests that run it in their own process: jest finds, reads, links and evaluates
 * each of its thousand files again for each test file. They are made when a source has changed; unit specs load the files themselves.
 */
import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';
import { typescript, WITHOUT_SIDE_EFFECTS } from '../../scripts/build-server.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const cache = join(root, 'node_modules/.cache/test-libs');
/** Bundles of sources that were changed since may still be read, by a run that began before. */
const KEPT_MS = 3_600_000;

/** How the bundles are made. */
const MAKERS = [
  'package-lock.json',
  'tsconfig.json',
  '.swcrc',
  'scripts/build-server.mjs',
  'test/runner/bundle-libs.mjs',
];

/** @returns jest's `moduleNameMapper` for what tests import of libs and apps. */
export function bundledLibs() {
  const folder = folderOfBundles();
  return {
    '^@spandrel/([a-z-]+)$': join(folder, 'libs/$1/src/index.mjs'),
    '^@spandrel/plugin-api/testing$': join(folder, 'libs/plugin-api/src/testing/index.mjs'),
    '^@spandrel/([a-z-]+)/([a-z-]+)$': join(folder, 'libs/$1/src/$2.mjs'),
    '^(?:\\.\\./)+((?:libs|apps)/[a-z-]+/src/.+)\\.[jt]s$': join(folder, '$1.mjs'),
  };
}

/** Makes the bundles where there are none of these sources yet. */
export async function bundleLibs() {
  const folder = folderOfBundles();
  if (!existsSync(folder)) await bundle(folder);
}

/** One for each state of the sources. */
function folderOfBundles() {
  const hash = createHash('sha256');
  for (const path of [...MAKERS, ...sources(), ...entries()]) hash.update(path).update(readFileSync(join(root, path)));
  return join(cache, hash.digest('hex').slice(0, 16));
}

const sources = () =>
  globSync('{libs,apps}/*/src/**/*.ts', { cwd: root, exclude: ['apps/dashboard/**', '**/*.spec.ts'] }).sort();

/** The files by which tests import: the index of each lib, and whatever a test names by its path. */
function entries() {
  const named = globSync('test/**/*.ts', { cwd: root }).flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(IMPORT)].map(([, path]) => path),
  );
  const aliases = Object.values(JSON.parse(readFileSync(join(root, 'tsconfig.json'), 'utf8')).compilerOptions.paths);
  const files = [
    ...aliases.flat().flatMap((path) => globSync(path, { cwd: root })),
    ...named.map((path) => `${path}.ts`),
  ];
  return [...new Set(files)].filter((file) => existsSync(join(root, file))).sort();
}

const IMPORT = /from '(?:\.\.\/)+((?:libs|apps)\/[a-z-]+\/src\/[^']+)\.[jt]s'/g;

async function bundle(folder) {
  const made = `${folder}.${process.pid}`;
  mkdirSync(made, { recursive: true });
  for (const name of readdirSync(cache)) {
    const path = join(cache, name);
    if (Date.now() - statSync(path).mtimeMs > KEPT_MS) rmSync(path, { recursive: true, force: true });
  }
  const bundled = await rolldown({
    // How the time of a build divides says nothing to who runs tests.
    checks: { pluginTimings: false },
    cwd: root,
    input: Object.fromEntries(entries().map((file) => [file.replace(/\.ts$/, ''), join(root, file)])),
    platform: 'node',
    tsconfig: join(root, 'tsconfig.json'),
    // Packages are bundled apart from it (bundle-packages.mjs), for the tests import them too.
    external: (id) => !/^(\.|\/|@spandrel\/)/.test(id),
    plugins: [typescript()],
    treeshake: WITHOUT_SIDE_EFFECTS,
  });
  await bundled.write({
    dir: made,
    format: 'esm',
    sourcemap: true,
    keepNames: true,
    entryFileNames: '[name].mjs',
    chunkFileNames: 'chunks/[name].mjs',
  });
  await bundled.close();
  try {
    renameSync(made, folder);
  } catch (error) {
    // Another run was quicker.
    rmSync(made, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
}
