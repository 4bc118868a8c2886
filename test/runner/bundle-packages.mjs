/**
 * Bundles of the packages that have most files, for tests: jest finds, reads, links and evaluates each file of a package again for
 * each test file, and NestJS, zod and MikroORM alone come to a thousand. The program is bundled by the same tool.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

const require = createRequire(import.meta.url);
const root = fileURLToPath(new URL('../..', import.meta.url));

/** What is imported of packages of ES modules. */
const ES_MODULES = [
  'zod',
  'jose',
  '@nestjs/common',
  '@nestjs/common/constants.js',
  '@nestjs/common/enums/route-paramtypes.enum.js',
  '@nestjs/core',
  '@nestjs/platform-fastify',
  '@nestjs/testing',
  'kysely',
  '@mikro-orm/core',
  '@mikro-orm/sql',
  '@mikro-orm/sqlite',
  '@mikro-orm/postgresql',
  '@mikro-orm/migrations',
];

/** What is imported of packages of CommonJS modules, a list a package. */
const COMMON_JS = [
  ['rxjs', 'rxjs/operators'],
  ['undici'],
  ['yaml'],
  ['semver'],
  ['@prometheus-io/client'],
  ['@opentelemetry/api'],
];

/** Packages that are bundled with their own packages: nobody else looks at what they keep there. */
const WHOLE_ES_MODULES = [['openid-client'], ['pg-boss'], ['csv-parse']];
const WHOLE_COMMON_JS = [['fastify'], ['pg', 'pg-cursor'], ['protobufjs'], ['@fastify/busboy']];
/** They have a binary or threads, or are not there. */
const NEVER_BUNDLED = new Set(['better-sqlite3', 'pino', 'pg-native']);

const NAMES = {
  mjs: [...ES_MODULES, ...WHOLE_ES_MODULES.flat()],
  cjs: [...COMMON_JS, ...WHOLE_COMMON_JS].flat(),
};

/** All names by which tests import bundles. */
export const BUNDLED = Object.values(NAMES).flat();

/** @returns jest's `moduleNameMapper` for these packages. They are bundled when they are not yet, or package-lock.json has changed. */
export async function bundledPackages() {
  const folder = join(root, 'node_modules/.cache/test-packages', versionOfBundles());
  if (!existsSync(folder)) await bundleAll(folder);
  return Object.fromEntries(
    Object.entries(NAMES).flatMap(([extension, names]) =>
      names.map((name) => [`^${name.replaceAll('.', '\\.')}$`, join(folder, `${fileOf(name)}.${extension}`)]),
    ),
  );
}

function versionOfBundles() {
  const hash = createHash('sha256');
  for (const path of [join(root, 'package-lock.json'), fileURLToPath(import.meta.url)]) hash.update(readFileSync(path));
  return hash.digest('hex').slice(0, 16);
}

/** Two of jest's programs may start at a time: the first one puts the whole folder in place. Older ones go with node_modules. */
async function bundleAll(folder) {
  const made = `${folder}.${process.pid}`;
  mkdirSync(made, { recursive: true });
  await bundle(made, ES_MODULES, 'mjs', isOfOthers);
  for (const names of COMMON_JS) await bundle(made, names, 'cjs', isOfOthers);
  for (const names of WHOLE_ES_MODULES) await bundle(made, names, 'mjs', isShared);
  for (const names of WHOLE_COMMON_JS) await bundle(made, names, 'cjs', isShared);
  try {
    renameSync(made, folder);
  } catch (error) {
    rmSync(made, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
}

const isOfOthers = (name, packages) => !packages.has(packageOf(name));

const isShared = (name, packages) =>
  NEVER_BUNDLED.has(packageOf(name)) || (BUNDLED.includes(name) && !packages.has(packageOf(name)));

/**
 * Each package becomes a file or two.
 * @param isApart which other packages it goes on importing.
 */
async function bundle(folder, names, extension, isApart) {
  const packages = new Set(names.map(packageOf));
  const format = extension === 'mjs' ? 'es' : 'cjs';
  const bundled = await rolldown({
    checks: { pluginTimings: false },
    cwd: root,
    // A package may have both kinds of modules: jest takes the kind that Node takes.
    input: Object.fromEntries(names.map((name) => [fileOf(name), format === 'cjs' ? require.resolve(name) : name])),
    platform: 'node',
    external: (id) => !/^(\.|\/|#)/.test(id) && (isBuiltin(id) || isApart(id, packages)),
  });
  await bundled.write({
    dir: folder,
    format,
    keepNames: true,
    entryFileNames: `[name].${extension}`,
    chunkFileNames: `[name].of-${fileOf(names[0])}.${extension}`,
    ...(format === 'es' && {
      codeSplitting: { groups: [{ name: (id) => fileOf(homeOf(packageInPath(id), packages)), debugName: 'packages' }] },
    }),
  });
  await bundled.close();
}

/** What belongs to a package is in its file. */
const homeOf = (name, packages) => (packages.has(name) ? name : [...packages][0]);

const fileOf = (name) => name.replaceAll(/[@/.]+/g, '-').replace(/^-/, '');
const packageOf = (name) => name.split('/', name.startsWith('@') ? 2 : 1).join('/');
const packageInPath = (path) => packageOf(path.split('/node_modules/').at(-1));
