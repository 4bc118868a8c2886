import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from '@jest/globals';

const root = fileURLToPath(new URL('../..', import.meta.url));
const GLOBALS = `import { afterAll, expect, it, jest } from '@jest/globals';`;

/** A package, what tests share, and files of tests, which run one behind the other in one worker. */
const FILES = {
  'package.json': '{"type":"module"}',
  'node_modules/kept/package.json': '{"name":"kept","type":"module","exports":"./index.js"}',
  'node_modules/kept/index.js': `
    let calls = 0;
    export const call = () => ++calls;
    export const List = Array;
    export const late = async () => (await import('./late.js')).late;`,
  'node_modules/kept/late.js': `export const late = 'late';`,
  'node_modules/script/package.json': '{"name":"script"}',
  'node_modules/script/index.js':
    'let calls = 0; exports.call = () => ++calls; exports.platform = () => process.env.LEFT;',
  'shared.js': `let calls = 0; export const call = () => ++calls;`,
  'a.check.js': `
    ${GLOBALS}
    import os from 'node:os';
    import { call } from 'kept';
    import script from 'script';
    import { call as callShared } from './shared.js';
    jest.retryTimes(3);
    globalThis.left = 1;
    process.env.LEFT = 'left';
    process.on('suiteOver', () => console.log('a is over'));
    jest.spyOn(os, 'hostname').mockImplementation(() => 'mocked');
    it('calls', () => expect([call(), script.call(), callShared(), os.hostname()]).toEqual([1, 1, 1, 'mocked']));`,
  'b.check.js': `
    ${GLOBALS}
    import os from 'node:os';
    import { call, late, List } from 'kept';
    import script from 'script';
    import { call as callShared } from './shared.js';
    let tries = 0;
    it('goes on with packages alone', async () => {
      expect([call(), script.call(), callShared(), await late(), List]).toEqual([2, 2, 1, 'late', Array]);
      expect([globalThis.left, process.env.LEFT, script.platform(), os.hostname() === 'mocked']).toEqual([undefined, undefined, undefined, false]);
    });
    it('is not tried again', () => expect(++tries).toBe(2));`,
};

interface Run {
  numPassedTests: number;
  numFailedTests: number;
  testResults: { name: string; assertionResults: { title: string; status: string; invocations: number }[] }[];
}

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'spandrel-kept-'));
  for (const [name, text] of Object.entries(FILES)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('evaluates packages once for all files, and everything else for each', () => {
  const config = {
    rootDir: folder,
    cacheDirectory: join(folder, 'cache'),
    testEnvironment: join(root, 'test/runner/kept-environment.cjs'),
    runtime: join(root, 'test/runner/kept-runtime.cjs'),
    testMatch: ['**/*.check.js'],
    transform: {},
    testSequencer: join(root, 'test/runner/longest-first.cjs'),
  };
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [
      ...['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'],
      ...[join(root, 'node_modules/jest/bin/jest.js'), '--runInBand', '--json', '--config', JSON.stringify(config)],
    ],
    { cwd: folder, encoding: 'utf8' },
  );
  expect(stderr).toContain('a is over');
  const run = JSON.parse(stdout) as Run;
  const reported = run.testResults.flatMap(({ assertionResults }) =>
    assertionResults.map(({ title, status, invocations }) => [title, status, invocations]),
  );
  expect(reported).toEqual([
    ['calls', 'passed', 1],
    ['goes on with packages alone', 'passed', 1],
    ['is not tried again', 'failed', 1],
  ]);
});
