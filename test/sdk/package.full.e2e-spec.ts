/** `@spandrel/sdk` as applications install it: packed, in an empty project, on every runtime that is here. */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Api } from '../support/api.ts';
import { startSpandrel, tempDir, until, type Spandrel } from '../support/spandrel.ts';
import { TYPED } from './typed-example.ts';
import { usersPath } from '../support/users-path.ts';

const VERSION = (JSON.parse(readFileSync('package.json', 'utf8')) as { version: string }).version;
const TSC = resolve('node_modules/typescript7/bin/tsc');

/** The build, a tarball, an installation and the compiler, on a machine that may be slow. */
const BUILD_MS_MAX = 600_000;
/** Size of the tracing entry with all that it imports, minified and compressed. */
const BYTES_MAX = 15 * 1024;

/** The example of a page that begins with the installation. */
const exampleOf = (page: string): string =>
  /^npm install @spandrel\/sdk\n```\n.*?^```js\n(.*?)^```/ms.exec(readFileSync(page, 'utf8'))![1]!;
const EXAMPLE = exampleOf('README.md');

interface Done {
  code: number | null;
  output: string;
}

const project = tempDir();

async function run(command: string, args: string[], env: Record<string, string> = {}, cwd = project): Promise<Done> {
  const child = spawn(command, args, {
    cwd,
    env: { PATH: usersPath(), HOME: project, NO_COLOR: '1', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  return new Promise((done, fail) => child.on('error', fail).on('close', (code) => done({ code, output })));
}

/** @returns the output. @throws with it when the command fails. */
async function must(command: string, args: string[], cwd = project): Promise<string> {
  const { code, output } = await run(command, args, {}, cwd);
  if (code !== 0) throw new Error(`${command} ${args.join(' ')}: ${code}\n${output}`);
  return output;
}

let spandrel: Spandrel;
let packed: string[] = [];
beforeAll(async () => {
  [spandrel] = await Promise.all([startSpandrel(), install()]);
}, BUILD_MS_MAX);
afterAll(() => spandrel?.stop());

async function install(): Promise<void> {
  const built = join(tempDir(), 'sdk');
  await must(process.execPath, ['scripts/build-sdk.mjs', '--out', built], resolve('.'));
  writeFileSync(join(project, 'package.json'), '{ "name": "empty", "private": true }');
  const quiet = ['--ignore-scripts', '--loglevel=error'];
  const said = await must('npm', ['pack', built, '--json', ...quiet]);
  // Behind it npm may warn of settings that it does not know.
  const [listed] = JSON.parse(said.slice(said.indexOf('['), said.lastIndexOf(']') + 1)) as [
    { files: { path: string }[] },
  ];
  packed = listed.files.map(({ path }) => path);
  const tarball = `./spandrel-sdk-${VERSION}.tgz`;
  // An empty cache and no registry: nothing but the tarball.
  await must('npm', ['install', tarball, '--offline', '--no-audit', '--no-fund', '--cache', tempDir(), ...quiet]);
  writeFileSync(join(project, 'example.mjs'), EXAMPLE);
  writeFileSync(join(project, 'required.cjs'), REQUIRED);
  writeFileSync(join(project, 'both.cjs'), BOTH);
  writeFileSync(join(project, 'browser.mjs'), IN_A_BROWSER);
  writeFileSync(join(project, 'late.mjs'), LATE);
}

/** What any kind of module of TypeScript may have. */
const PLAIN = `
import { Spandrel, SpandrelError, type AnswerOf, type resources } from '@spandrel/sdk';
import { exactMatch, type EvalResult } from '@spandrel/sdk/eval';

const spandrel = new Spandrel({ enabled: false });
const double: (n: number) => number = spandrel.observe((n: number) => n * 2);
export type Page = AnswerOf<'listEvals'>;
export const spanName = (span: resources.Span, _result?: EvalResult): string => span.name;
export const isOurs = (error: unknown): boolean => error instanceof SpandrelError && error.status > 0;
console.log(typeof exactMatch, double(1), typeof double(1));
`;

/** Another program than the example: a CommonJS one. */
const REQUIRED = `
const { Spandrel, SpandrelError } = require('@spandrel/sdk');
const evaluation = require('@spandrel/sdk/eval');
const spandrel = new Spandrel();
spandrel.span('required', { metadata: { eval: Object.keys(evaluation).length > 0 } }, () => spandrel.api.getTrace({ path: { id: 'none' } }))
  .catch((error) => console.log(error instanceof SpandrelError, error.code));
`;

/** A program whose own code is CommonJS and which has a package of ES modules that records, too: there are two copies. */
const BOTH = `
const { Spandrel, SpandrelError } = require('@spandrel/sdk');
import('@spandrel/sdk').then(async (copy) => {
  const [ours, theirs] = [new Spandrel(), new copy.Spandrel()];
  const parent = await ours.span('outer', async (outer) => {
    await new Promise((done) => setTimeout(done, 1));
    return [theirs.currentTrace.id === outer.trace.id, theirs.startSpan('inner').trace.id === outer.trace.id];
  });
  const error = await theirs.api.getTrace({ path: { id: 'none' } }).catch((thrown) => thrown);
  console.log(copy.Spandrel === Spandrel, ...parent, error instanceof SpandrelError, new Error('x') instanceof SpandrelError);
  await Promise.all([ours.flush(), theirs.flush()]);
});
`;

/** What a bundler for browsers takes. */
const IN_A_BROWSER = `
import { Spandrel } from '@spandrel/sdk';
const sent = [];
const fetch = async (url, init) => {
  sent.push(JSON.parse(new TextDecoder().decode(init.body)));
  return Response.json({ accepted: { traces: 1, spans: 2 }, rejected: [] });
};
const spandrel = new Spandrel({ fetch });
spandrel.span('outer', () => spandrel.observe(() => 1, { name: 'inner' })());
await spandrel.flush();
const [outer, inner] = ['outer', 'inner'].map((wanted) => sent.flatMap(({ spans }) => spans).find(({ name }) => name === wanted));
console.log(import.meta.resolve('@spandrel/sdk').split('/').at(-2), inner.parent_id === outer.id);
`;

/** A program that cannot load a part of the package at first. */
const LATE = `
import { renameSync } from 'node:fs';
import { Spandrel } from '@spandrel/sdk';
const [file, aside] = ['gateway-calls.js', 'aside.js'].map((name) => new URL(name, import.meta.resolve('@spandrel/sdk')));
const fetch = async (url, init) => Response.json(new Headers(init?.headers).has('traceparent'));
const spandrel = new Spandrel({ fetch, gatewayUrl: 'http://gateway.test', onWarning: () => undefined });
const call = () => spandrel.span('call', async () => (await spandrel.fetch('http://gateway.test/v1/models')).json());
renameSync(file, aside);
const first = await call();
renameSync(aside, file);
console.log(first, await call());
`;

const isThere = (command: string): boolean => spawnSync(command, ['--version']).status === 0;

/** Each runtime with what starts a program on it. Bun and Deno are tried where they are on the PATH. */
const RUNTIMES: [name: string, command: string, args: string[]][] = [
  ["the PATH's Node", 'node', []],
  ["the project's Node", process.execPath, []],
  ['Bun', 'bun', ['run']],
  ['Deno', 'deno', ['run', '--quiet', '--allow-all']],
];

describe('@spandrel/sdk in an empty project', () => {
  it('is one package without dependencies, of this version', () => {
    const { packages } = JSON.parse(readFileSync(join(project, 'package-lock.json'), 'utf8')) as {
      packages: Record<string, { version?: string }>;
    };
    expect(Object.keys(packages)).toEqual(['', 'node_modules/@spandrel/sdk']);
    expect(packages['node_modules/@spandrel/sdk']!.version).toBe(VERSION);
    expect(packed.filter((path) => !path.includes('types/')).toSorted()).toEqual(
      expect.arrayContaining(['LICENSE', 'README.md', 'cjs/index.js', 'eval.js', 'index.js', 'package.json']),
    );
    expect(packed.filter((path) => !/\.(js|d\.ts|md|json)$|^LICENSE$/.test(path))).toEqual([]);
  });

  it('is resolved with its types by each kind of resolution, and has no fault in its manifest', async () => {
    const tarball = join(project, `spandrel-sdk-${VERSION}.tgz`);
    expect(await must(process.execPath, [resolve('test/sdk/check-package.mjs'), tarball])).toBe('[]');
  });

  it('has the example of both READMEs, of ten lines', () => {
    expect(exampleOf('libs/sdk/README.md')).toBe(EXAMPLE);
    expect(EXAMPLE.trimEnd().split('\n').length).toBeLessThanOrEqual(10);
  });

  describe.each(RUNTIMES)('on %s', (name, command, args) => {
    const isHere = isThere(command);
    const itHere = isHere ? it : it.skip;
    const skipped = isHere ? '' : ` (skipped: no ${command} on the PATH)`;

    itHere(`runs the example of the README as it stands: the trace is there${skipped}`, async () => {
      const api = new Api(spandrel.apiUrl);
      await api.delete('/api/traces');
      const done = await run(command, [...args, 'example.mjs'], { SPANDREL_API_URL: spandrel.apiUrl });
      expect(done).toEqual({ code: 0, output: expect.stringMatching(/delivered: 3,\s*pending: 0/) });
      const [trace, ...others] = await api.traces();
      expect(others).toEqual([]);
      expect(trace).toMatchObject({
        ...{ name: 'support chat', session_id: 'chat-7', user_id: 'anna', tags: ['first'], status: 'completed' },
        span_count: 2,
      });
      // Both may begin within one millisecond, where the order of a list is that of their random ids.
      const spans = (await api.spans()).toSorted((one, other) => one.name.localeCompare(other.name));
      expect(spans).toMatchObject([
        { name: 'answer', status: 'completed', input: ['tides.txt'], output: 'See tides.txt' },
        {
          ...{ name: 'search', status: 'completed', kind: { type: 'retrieval' } },
          ...{ input: 'When is high water?', output: ['tides.txt'] },
        },
      ]);
    });

    if (name.includes('Node')) {
      it('is loaded by require()', async () => {
        const done = await run(command, [...args, 'required.cjs'], { SPANDREL_API_URL: spandrel.apiUrl });
        expect(done).toEqual({ code: 0, output: 'true trace_not_found\n' });
        const api = new Api(spandrel.apiUrl);
        await until(async () => (await api.spans('name_contains=required')).length > 0);
        const [span] = await api.spans('name_contains=required');
        expect(span).toMatchObject({ status: { failed: {} }, metadata: { eval: true } });
      });

      it('has one state, though a program loads it by require() and by import', async () => {
        const done = await run(command, [...args, 'both.cjs'], { SPANDREL_API_URL: spandrel.apiUrl });
        expect(done).toEqual({ code: 0, output: 'false true true true false\n' });
      });

      it('loads a part again that could not be loaded at first', async () => {
        expect(await run(command, [...args, 'late.mjs'])).toEqual({ code: 0, output: 'false true\n' });
      });

      it('has an entry for browsers, which asks no platform for a module', async () => {
        const done = await run(command, [...args, '--conditions=browser', 'browser.mjs']);
        expect(done).toEqual({ code: 0, output: 'browser true\n' });
        const files = packed.filter((path) => /(^|\/)browser\/.*\.js$/.test(path));
        expect(files.length).toBeGreaterThan(4);
        for (const file of files)
          expect(readFileSync(join(project, 'node_modules/@spandrel/sdk', file), 'utf8')).not.toMatch(
            /(require\(|from |import\()['"]node:/,
          );
      });
    }
  });

  describe('its types', () => {
    beforeAll(() => {
      writeFileSync(join(project, 'example.mts'), EXAMPLE.replace('async (question)', 'async (question: string)'));
      writeFileSync(join(project, 'typed.mts'), TYPED);
      mkdirSync(join(project, 'node_modules/@types'));
      for (const name of ['@types/node', 'undici-types']) {
        symlinkSync(resolve('node_modules', name), join(project, 'node_modules', name));
      }
    });
    const CHECKS = ['--singleThreaded', '--noEmit', '--strict', '--skipLibCheck', 'false', '--module', 'nodenext'];

    // TypeScript 7 has no resolution "node10" any more.
    const TSC_6 = resolve('node_modules/typescript/bin/tsc');
    const MODULES: [name: string, file: string, tsc: string, args: string[]][] = [
      ['node10', 'plain.ts', TSC_6, ['--module', 'commonjs', '--moduleResolution', 'node10', '--ignoreDeprecations', '6.0']], // prettier-ignore
      ['CommonJS of node16', 'plain.cts', TSC_6, ['--module', 'node16']],
      ['ES modules of node16', 'plain.mts', TSC_6, ['--module', 'node16']],
      ['CommonJS of nodenext', 'plain.cts', TSC, ['--module', 'nodenext']],
      ['bundlers', 'plain.ts', TSC, ['--module', 'esnext', '--moduleResolution', 'bundler']],
      ['bundlers for browsers', 'plain.ts', TSC, ['--module', 'esnext', '--moduleResolution', 'bundler', '--customConditions', 'browser']], // prettier-ignore
    ];
    it.each(MODULES)('pass with the modules of %s, and what is made of them runs', async (_name, file, tsc, args) => {
      writeFileSync(join(project, file), PLAIN);
      const made = join(project, 'made', String(MODULES.findIndex((each) => each[3] === args)));
      const checks = [
        '--strict',
        '--skipLibCheck',
        'false',
        '--target',
        'es2022',
        '--lib',
        'es2023',
        '--types',
        'node',
      ];
      const compiled = await run(process.execPath, [tsc, ...checks, ...args, '--outDir', made, file]);
      expect(compiled).toEqual({ code: 0, output: '' });
      // The language of a file that is left to a bundler is that of ES modules.
      const isCommonJs = args.includes('commonjs');
      writeFileSync(join(made, 'package.json'), JSON.stringify({ type: isCommonJs ? 'commonjs' : 'module' }));
      const program = join(made, file.replace(/ts$/, 'js'));
      expect(await run(process.execPath, [program])).toEqual({ code: 0, output: 'function 2 number\n' });
    });

    it.each([
      ['of Node', ['--lib', 'es2023', '--types', 'node']],
      ['of browsers and workers', ['--lib', 'es2023,dom,dom.iterable,dom.asynciterable', '--types', '']],
      ['of Node, with exact types', ['--lib', 'es2023', '--types', 'node', '--exactOptionalPropertyTypes']],
    ])('pass under strict beside those %s', async (_name, args) => {
      const files = ['example.mts', 'typed.mts'];
      expect(await run(process.execPath, [TSC, ...CHECKS, ...args, ...files])).toEqual({ code: 0, output: '' });
    });
  });

  it('has a tracing entry of 15 KB at most, with all that is loaded with it', async () => {
    const entry = join(project, 'node_modules/@spandrel/sdk/index.js');
    const { code, rest } = JSON.parse(await must(process.execPath, [resolve('test/sdk/minified.mjs'), entry])) as {
      code: string;
      rest: string;
    };
    expect(gzipSync(code, { level: 9 }).byteLength).toBeLessThanOrEqual(BYTES_MAX);
    // The client of the API comes with its first call.
    expect([code, rest].map((text) => text.includes('/api/datasets'))).toEqual([false, true]);
  });
});
