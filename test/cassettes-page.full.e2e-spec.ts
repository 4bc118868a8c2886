/** docs/cassettes.md: its examples run as they stand there, and `spandrel run` ends as it says. */
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { parse } from 'yaml';
import { isWaiting, startFakeProvider, type FakeProvider } from './fake-provider/start-fake-provider.ts';
import { COMPILE_CACHE, startSpandrel, tempDir, until } from './support/spandrel.ts';

const page = readFileSync('docs/cassettes.md', 'utf8');

/** The code of a block of the page, by the word behind its language. */
function block(name: string): string {
  const found = new RegExp(`^\`\`\`\\w+ ${name.replaceAll('.', '\\.')}\\n(.*?)^\`\`\``, 'ms').exec(page);
  if (!found) throw new Error(`the page has no block ${name}`);
  return found[1]!;
}

let provider: FakeProvider;
let folder: string;
let bin: string;

beforeEach(async () => {
  provider = await startFakeProvider();
  folder = tempDir();
  bin = tempDir();
  mkdirSync(join(folder, 'tests'));
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
  program('npm', 'exit 0');
  program('spandrel', `exec "${process.execPath}" "${resolve('dist/apps/cli/src/main.js')}" "$@"`);
  program('npx', 'exec "$@"');
  program('node', `exec "${process.execPath}" "$@"`);
  const jest = resolve('node_modules/jest/bin/jest.js');
  program(
    'jest',
    `exec "${process.execPath}" --experimental-vm-modules "${jest}" --rootDir . --testMatch '**/*.test.js'`,
  );
  // Jest's import is the page's only difference between the two.
  program('vitest', `sed -i "s#'vitest'#'@jest/globals'#" tests/*.js && exec jest`);
  // Each function test_… of the files test_….py.
  program(
    'pytest',
    `exec python3 -c 'import glob, runpy
for file in glob.glob("**/test_*.py", recursive=True):
    for name, test in runpy.run_path(file).items():
        if name.startswith("test_"): test()'`,
  );
});
afterEach(() => provider.close());

function program(name: string, script: string): void {
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
}
const write = (file: string, text: string): void => writeFileSync(join(folder, file), text);
const read = (file: string): string => readFileSync(join(folder, file), 'utf8');

const environment = (more: Record<string, string> = {}): Record<string, string> => ({
  PATH: `${bin}:${process.env['PATH']}`,
  NODE_COMPILE_CACHE: COMPILE_CACHE,
  SPANDREL_OPENAI_BASE_URL: provider.url,
  ...more,
});

interface Ended {
  code: number | null;
  output: string;
}

function start(script: string, env: Record<string, string> = {}) {
  const child = spawn('bash', ['-eo', 'pipefail', '-c', script], {
    cwd: folder,
    env: environment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  const ended = new Promise<Ended>((done) => child.on('close', (code) => done({ code, output })));
  return { child, ended };
}
const bash = (script: string, env: Record<string, string> = {}): Promise<Ended> => start(script, env).ended;
const KEY = { OPENAI_API_KEY: `sk-proj-${'a1B2c3D4'.repeat(5)}` };

describe('docs/cassettes.md', () => {
  it('records tests once and replays them in GitHub Actions without a key', async () => {
    write('tests/chat.test.js', block('chat.test.js'));
    expect(await bash(block('record'), KEY)).toMatchObject({ code: 0, output: expect.stringContaining('1 recorded') });
    expect(read('tests/chat.cassette.yaml')).not.toContain(KEY.OPENAI_API_KEY);
    await provider.close();
    expect(await bash(block('replay'), { CI: 'true' })).toMatchObject({
      code: 0,
      output: expect.stringContaining('cassette chat: 1 replayed, 0 missed, 0 recorded, 0 never used'),
    });
    const { jobs } = parse(block('github')) as { jobs: { tests: { steps: { run?: string }[] } } };
    const steps = jobs.tests.steps.flatMap(({ run }) => run ?? []);
    expect(steps).toHaveLength(3);
    for (const step of steps) expect([step, (await bash(step, { CI: 'true' })).code]).toEqual([step, 0]);
    write('tests/chat.test.js', read('tests/chat.test.js').replaceAll('Nagasaki', 'Kobe'));
    const missed = await bash(block('replay'), { CI: 'true' });
    expect([missed.code, missed.output]).toEqual([20, expect.stringContaining(block('miss').trim())]);
    write('tests/agent.cassette.yaml', read('tests/chat.cassette.yaml'));
    expect((await bash(block('look'))).output).toContain('nothing is removed');
    write('tests/chat.test.js', read('tests/chat.test.js').replaceAll('Kobe', 'Nagasaki'));
    const look = await bash(block('look'));
    expect([look.code, look.output]).toEqual([0, expect.stringContaining('0 removed, 1 kept')]);
    expect(look.output).toContain('   1  POST openai /v1/chat/completions  200, 18 tokens');
  });

  it('has a test of pytest, and an agent with tools', async () => {
    write('test_chat.py', block('test_chat.py'));
    for (const count of ['1 recorded', '1 replayed']) {
      expect(await bash(block('pytest'), KEY)).toMatchObject({ code: 0, output: expect.stringContaining(count) });
    }
    write('agent.mjs', block('agent.mjs').replace('gpt-5.1', 'fake:tools'));
    const agent = await bash(block('agent'), KEY);
    expect(agent.code).toBe(0);
    expect(agent.output.match(/^11 messages$/gm)).toHaveLength(2);
    expect(agent.output).toContain('cassette agent: 5 replayed, 0 missed, 0 recorded, 0 never used');
    expect(provider.requests).toHaveLength(6);
  });

  it('has what is not compared, and a cassette a test', async () => {
    mkdirSync(join(folder, 'tests/cassettes/sailing'), { recursive: true });
    write('tests/cassettes/sailing/cassette.yaml', block('cassette.yaml'));
    expect(block('server')).toContain('spandrel serve');
    const settings = Object.fromEntries(
      [...block('server').matchAll(/(SPANDREL_\w+)=(\S+)/g)].map(([, k, v]) => [k!, v!]),
    );
    const dir = join(folder, settings['SPANDREL_CASSETTE_DIR']!);
    const spandrel = await startSpandrel({
      env: { ...environment(), ...settings, SPANDREL_CASSETTE_DIR: dir },
    });
    const ask = (text: string): Promise<Ended> =>
      bash(block('header').replace('Ahoy', text), { SPANDREL_GATEWAY_URL: spandrel.gatewayUrl });
    // What is ignored is the only message.
    expect((await ask('Ahoy, jim@example.com')).output).toContain('You said: Ahoy, jim@');
    await until(() => existsSync(join(dir, 'sailing/first.cassette.yaml')), 20_000);
    expect((await ask('Good evening')).output).toContain('You said: Ahoy, [email]');
    expect(provider.requests).toHaveLength(1);
    const finished = await bash(block('finish'), { SPANDREL_GATEWAY_URL: spandrel.gatewayUrl });
    expect(JSON.parse(finished.output)).toMatchObject({ cassettes: [{ name: 'sailing/first', recorded: 1 }] });
    const fromSpans = await bash(block('from-spans'), { SPANDREL_API_URL: spandrel.apiUrl });
    expect([fromSpans.code, fromSpans.output]).toEqual([
      0,
      expect.stringMatching(/production\.cassette\.yaml: 1 call put together\n1 left out: masked\n$/),
    ]);
    const { traces } = (await (await fetch(`${spandrel.apiUrl}/api/traces`)).json()) as { traces: { id: string }[] };
    const fromTrace = block('from-trace').replace(/\b01\w{24}/, traces.at(-1)!.id);
    expect((await bash(fromTrace, { SPANDREL_API_URL: spandrel.apiUrl })).output).toContain('1 call put together');
    expect((await bash('spandrel cassette show tests/incident')).output).toContain('reconstructed');
    await spandrel.stop();
    const file = readFileSync(join(dir, 'sailing/first.cassette.yaml'), 'utf8');
    expect(file).toContain('content: Ahoy, [email]');
    expect(file).not.toContain('jim@');
  });
});

describe('spandrel run', () => {
  const CALL = `await fetch(process.env.OPENAI_BASE_URL + '/chat/completions', { method: 'POST',
    body: JSON.stringify({ model: 'gpt-5.1', messages: [{ role: 'user', content: process.argv[2] }] }) })`;
  const run = (options: string, said: string, more = ''): string =>
    `spandrel run --cassette tests/chat ${options} -- node call.mjs ${said} ${more}`;
  beforeEach(() => write('call.mjs', `${CALL};\nprocess.exit(Number(process.argv[3] ?? 0));`));

  it('ends with the code of its command, 20 after a miss, and 21 where a recording was not used', async () => {
    expect((await bash(run('--mode record', 'a', '7'))).code).toBe(7);
    expect((await bash(run('--mode hybrid', 'b'))).code).toBe(0);
    expect((await bash(run('', 'a', '7'))).code).toBe(7);
    const missed = await bash(run('', 'c'));
    expect([missed.code, missed.output]).toEqual([20, expect.stringMatching(/"c" is "[ab]" on the cassette/)]);
    expect((await bash(run('--fail-on-unused', 'a'))).code).toBe(21);
    // No call reached the gateway, so that no recording was used either.
    expect((await bash('spandrel run --cassette tests/chat --fail-on-unused -- true')).code).toBe(21);
    expect((await bash('spandrel run --cassette tests/none --fail-on-unused -- true')).code).toBe(0);
    expect((await bash(run('', 'a'), { SPANDREL_CASSETTE_MODE: 'nonsense' })).code).toBe(2);
    expect((await bash('spandrel run --cassette tests/chat -- no-such-program')).output).toContain('no-such-program');
    const shown = await bash('spandrel cassette show tests/chat --json');
    expect(JSON.parse(shown.output)).toMatchObject({ recordings: [{ request: { method: 'POST' } }, { answer: {} }] });
    expect((await bash('spandrel cassette show tests/chat 2 --json')).output).toContain('"label":"POST');
    expect((await bash('spandrel cassette check tests/chat --json')).output).toBe('{"faults":[]}\n');
    const pruned = await bash('spandrel cassette prune tests/chat --unused --json -- node call.mjs b');
    expect([pruned.code, pruned.output]).toEqual([0, expect.stringContaining('{"removed":1,"kept":1}')]);
    expect((await bash(run('--fail-on-unused', 'b'))).code).toBe(0);
  });

  it('finds a key that people put on a cassette', async () => {
    await bash(run('--mode record', 'a'));
    expect((await bash('spandrel cassette check tests/chat')).code).toBe(0);
    write(
      'tests/chat.cassette.yaml',
      read('tests/chat.cassette.yaml').replace('content: a', `content: ${KEY.OPENAI_API_KEY}`),
    );
    const found = await bash('spandrel cassette check tests/chat');
    expect([found.code, found.output]).toEqual([
      1,
      expect.stringContaining('request.body.messages[0].content holds a key or a token'),
    ]);
    expect(found.output).not.toContain(KEY.OPENAI_API_KEY);
  });

  it('leaves the former cassette whole when it is killed, or its command is', async () => {
    await bash(run('--mode record', 'a'));
    const former = read('tests/chat.cassette.yaml');
    write('two.mjs', `${CALL};\nprocess.argv[2] = 'fake:held';\n${CALL};`);
    for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
      const { child, ended } = start('exec spandrel run --cassette tests/chat --mode record -- node two.mjs b');
      await until(() => provider.requests.some(isWaiting), 20_000);
      child.kill(signal);
      if (signal === 'SIGTERM') expect((await ended).code).toBe(143);
      expect(read('tests/chat.cassette.yaml')).toBe(former);
      provider.release();
      await until(() => !provider.requests.some(isWaiting));
    }
    expect(existsSync(join(folder, 'tests/chat.cassette'))).toBe(false);
  });
});
