/** Bundles the server, the gateway and the command line with the packages that they use. */
import fs, { writeFileSync } from 'node:fs';
import http from 'node:http';
import { basename, join } from 'node:path';
import { transform } from '@swc/core';
import { rolldown } from 'rolldown';
import { CHUNK_GROUPS, ENTRIES, EXTERNAL, GATEWAY_ENTRIES } from './build-plan.mjs';
import { licensesOf } from './package-licenses.mjs';
import { SWC_OPTIONS } from './swc-options.mjs';
import { nodeFault } from '../bin/node-version.cjs';

/** A module of ours is there for what it exports: an app takes along what it uses of a lib's index, and no more. */
export const WITHOUT_SIDE_EFFECTS = {
  moduleSideEffects: [{ test: /\/(libs|apps)\/[^/]+\/src\/(?!main\.ts)/, sideEffects: false }],
};

/**
 * Writes the programs into a folder.
 * @param root of the repository.
 * @param gateway whether only what the image of the gateway holds: commands that open the database are left out.
 */
export async function buildServer(root, folder, gateway) {
  const files = fs.globSync(gateway ? GATEWAY_ENTRIES : ENTRIES, { cwd: root });
  const bundled = await rolldown({
    cwd: root,
    input: Object.fromEntries(files.map((file) => [file.replace(/\.ts$/, ''), join(root, file)])),
    platform: 'node',
    tsconfig: join(root, 'tsconfig.json'),
    external: EXTERNAL,
    plugins: [
      typescript(),
      reflectMetadataFirst(),
      httpWithoutFetch(),
      mapsOfOwnCodeOnly(),
      ...(gateway ? [withoutCommands()] : []),
    ],
    treeshake: WITHOUT_SIDE_EFFECTS,
  });
  const { output } = await bundled.write({
    dir: folder,
    format: 'esm',
    sourcemap: true,
    // Errors, the log and what Nest says of a missing provider name classes.
    keepNames: true,
    entryFileNames: ({ name }) => `${isProgram(name) ? programOf(name) : name}.js`,
    chunkFileNames: ({ name }) => `chunks/${name.split('~')[0]}-[hash].js`,
    codeSplitting: { groups: CHUNK_GROUPS },
  });
  for (const { name } of output.filter(({ isEntry }) => isEntry)) {
    if (isProgram(name)) writeFileSync(join(folder, `${name}.js`), checkedStart(name));
  }
  writeFileSync(join(folder, 'licenses.txt'), licensesOf(output.flatMap(({ moduleIds = [] }) => moduleIds)));
}

function isProgram(name) {
  return /^apps\/[^/]+\/src\/main$/.test(name);
}

function programOf(name) {
  return name.replace(/main$/, 'program');
}

/** On an old Node the program itself would not get as far as saying so: what it imports is looked up before it runs. */
function checkedStart(name) {
  return [
    nodeFault,
    'const fault = nodeFault();',
    'if (fault !== undefined) {',
    "  process.stderr.write(fault + '\\n');",
    '  process.exit(1);',
    '}',
    `await import('./${basename(programOf(name))}.js');`,
    '',
  ].join('\n');
}

/** Compiles the sources, decorators with their metadata. */
export function typescript() {
  return {
    name: 'typescript',
    transform: {
      filter: { id: /\.ts$/ },
      async handler(source, filename) {
        const { code, map } = await transform(source, { ...SWC_OPTIONS, filename });
        return { code, map, moduleType: 'js' };
      },
    },
  };
}

/**
 * A CommonJS file runs where its importer's body begins, behind all other imports. This one must run before them: as
 * decorators are applied it is asked already. It exports nothing, and is as good an ES module, which runs in its turn.
 */
function reflectMetadataFirst() {
  return {
    name: 'reflect-metadata-first',
    transform: {
      filter: { id: /\/reflect-metadata\/Reflect\.js$/ },
      handler: (code) => ({ code: `${code}\nexport {};\n`, map: null, moduleSideEffects: true }),
    },
  };
}

/**
 * An `import` of node:http reads all that it exports, and what it exports of the browser's WebSocket loads the whole of Node's
 * `fetch`: 45 ms of CPU in every start of a program, which asks for neither. Taken by its functions alone it costs nothing.
 */
function httpWithoutFetch() {
  const id = '\0http-without-fetch';
  const names = Object.entries(Object.getOwnPropertyDescriptors(http))
    .filter(([name, { value }]) => value !== undefined && !name.startsWith('_'))
    .map(([name]) => name);
  return {
    name: 'http-without-fetch',
    resolveId: {
      filter: { id: /^(node:)?http$/ },
      handler: (_source, _importer, { kind }) => (kind === 'import-statement' ? { id } : null),
    },
    load: {
      filter: { id: /^\0http-without-fetch$/ },
      handler: () =>
        [
          "const http = process.getBuiltinModule('node:http');",
          'export default http;',
          `export const { ${names.join(', ')} } = http;`,
        ].join('\n'),
    },
  };
}

/** Maps of packages are two thirds of all, and lead to code that nobody here reads. */
function mapsOfOwnCodeOnly() {
  return {
    name: 'maps-of-own-code-only',
    generateBundle(_options, output) {
      for (const chunk of Object.values(output)) {
        if (chunk.type !== 'chunk' || !chunk.moduleIds.every((id) => id.includes('/node_modules/'))) continue;
        delete output[`${chunk.fileName}.map`];
        chunk.code = chunk.code.replace(/\n\/\/# sourceMappingURL=.*\s*$/, '\n');
      }
    },
  };
}

/** Commands that start a program or administer one, with their options and help (apps/cli/src/commands.ts). */
const OPERATOR_COMMANDS = ['./settings-commands.js', './admin-command.js'];

/** What a command loads when it is called is left out. */
function withoutCommands() {
  return {
    name: 'without-commands',
    resolveDynamicImport: (specifier, importer) =>
      importer.includes('/apps/cli/') && !OPERATOR_COMMANDS.includes(specifier)
        ? { id: specifier, external: true }
        : null,
  };
}
