/** The command line as processes: pipes, readers that leave, signals, and every example of docs/cli.md. */
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.ts';
import { Api } from '../support/api.ts';
import { COMPILE_CACHE, startSpandrel, tempDir, until, type Spandrel } from '../support/spandrel.ts';
import { CommandLine } from './command-line.ts';
import { record, RECORDED } from './recorded.ts';
import { wordsOf } from './words-of.ts';

let spandrel: Spandrel;
let provider: FakeProvider;
let api: Api;
let folder: string;

beforeAll(async () => {
  spandrel = await startSpandrel();
  api = new Api(spandrel.apiUrl);
  await record(api);
  folder = tempDir();
  // Does what `npx spandrel` does, without asking whether anything is to be built.
  const npx = join(folder, 'npx');
  writeFileSync(npx, `#!/bin/sh\nshift\nexec "${process.execPath}" "${resolve('dist/apps/cli/src/main.js')}" "$@"\n`);
  chmodSync(npx, 0o755);
  // Tests that call a model once.
  provider = await startFakeProvider();
  const npm = join(folder, 'npm');
  const body = JSON.stringify({ model: 'gpt-4o', messages: [{ role: 'user', content: 'Hello' }] });
  writeFileSync(
    npm,
    `#!${process.execPath}\nfetch(process.env.OPENAI_BASE_URL + '/chat/completions', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '${body}' }).then((answer) => answer.text());\n`,
  );
  chmodSync(npm, 0o755);
  writeFileSync(join(folder, 'capitals.csv'), 'input,expected_output\nFrance,Paris\nItaly,Rome\n');
  writeFileSync(join(folder, 'batch.json'), JSON.stringify({ traces: [{ id: 'from-a-file' }] }));
});

afterAll(async () => {
  await spandrel?.stop();
  await provider?.close();
});

/** Starts a line of a shell in a folder of the test. */
function start(line: string, env: Record<string, string> = {}) {
  const child = spawn('bash', ['-c', `set -o pipefail; ${line}`], {
    cwd: folder,
    env: {
      PATH: `${folder}:${process.env['PATH']}`,
      NODE_COMPILE_CACHE: COMPILE_CACHE,
      SPANDREL_API_URL: spandrel.apiUrl,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const written = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text: string) => (written.out += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (written.err += text));
  const ended = new Promise<{ code: number | null; out: string; err: string }>((done) =>
    child.once('close', (code) => done({ code, ...written })),
  );
  return { child, written, ended };
}

const run = (line: string, env?: Record<string, string>) => start(line, env).ended;

describe('a command', () => {
  it('ends quietly when its reader has seen enough', async () => {
    const spans = Array.from({ length: 3_000 }, (_, n) => ({
      id: `many-${n}`,
      trace_id: 'many',
      name: 'x'.repeat(200),
    }));
    await api.post('/api/ingest', { traces: [{ id: 'many' }], spans });
    const { code, out, err } = await run('npx spandrel spans list --all | head -n 2');
    expect([code, out.split('\n').length, err]).toEqual([0, 3, '']);
  });

  it('says so when what it writes gets nowhere', async () => {
    const { code, err } = await run('npx spandrel traces list > /dev/full');
    expect([code, err]).toEqual([1, 'spandrel: standard output cannot be written (ENOSPC)\n']);
  });

  it('moves datasets through pipes', async () => {
    const { code, err } = await run(
      'npx spandrel datasets import capitals.csv --dataset a >/dev/null && npx spandrel datasets export a | npx spandrel datasets import - --dataset b',
    );
    expect([code, err]).toEqual([0, expect.stringMatching(/^made the dataset "a" .*\nmade the dataset "b" /)]);
    const exported = await run('npx spandrel datasets export b --format csv');
    expect(exported.out).toMatch(/^input,expected_output\S*\nFrance,Paris\S*\nItaly,Rome\S*\n$/);
  });

  it('ends with 130 when it is interrupted, and with 2, 3 and 4 as within the tests', async () => {
    const { child, written, ended } = start('exec npx spandrel traces tail --json --since 0');
    await until(() => written.out.includes('\n'));
    child.kill('SIGINT');
    expect((await ended).code).toBe(130);
    const codes = await Promise.all([
      run('npx spandrel traces list --nonsense'),
      run('npx spandrel doctor --url http://127.0.0.1:1'),
      run('npx spandrel traces show no-such-trace'),
      run('npx spandrel help traces'),
      run('npx spandrel --help'),
    ]);
    expect(codes.map(({ code }) => code)).toEqual([2, 3, 4, 0, 0]);
    expect(codes[3]!.out).toContain('tail');
    expect(codes[4]!.out).toMatch(/^ {2}traces +list traces/m);
  });
});

describe('docs/cli.md', () => {
  const page = readFileSync('docs/cli.md', 'utf8');
  const lines = [...page.matchAll(/^```sh\n(.*?)^```/gms)].flatMap(([, block]) => block!.trim().split('\n'));
  /** Runs as long as somebody lets it. */
  const isTail = (line: string): boolean => line.includes(' tail');

  it('has examples that run as they stand', async () => {
    expect(lines.length).toBeGreaterThan(20);
    const cli = new CommandLine({ SPANDREL_API_URL: spandrel.apiUrl });
    // Cassettes of spans need calls that a gateway recorded: test/cassettes-page has these.
    const isOfSpans = (line: string): boolean => line.includes('cassette from-');
    for (const line of lines.filter((each) => !isTail(each) && !isOfSpans(each))) {
      const here = line
        .replaceAll('http://127.0.0.1:3000', spandrel.apiUrl)
        .replaceAll('http://127.0.0.1:3001', spandrel.gatewayUrl)
        .replaceAll(/\b[\w-]+\.(csv|html|jsonl?|xml)\b/g, (file) => join(folder, file));
      // A pipe needs a shell, a cassette its folder; everything else is run within the test.
      const { code, err } = /\||tests\/chat/.test(line)
        ? await run(here, { SPANDREL_OPENAI_BASE_URL: provider.url })
        : await cli.run(wordsOf(here));
      // The summary of a cassette is no fault.
      const faults = err.replaceAll(/^spandrel: (cassette|no call reached) .*$/gm, '');
      expect([line, code, faults.includes('spandrel:')]).toEqual([line, 0, false]);
    }
    expect(existsSync(join(folder, 'capitals.jsonl'))).toBe(true);
    expect((await api.get('/api/traces/from-a-file')).status).toBe(200);
  });

  it('has tails that show what ends', async () => {
    const cli = new CommandLine({ SPANDREL_API_URL: spandrel.apiUrl });
    const tails = lines.filter(isTail).map((line) => cli.start(wordsOf(line)));
    expect(tails).toHaveLength(3);
    let n = 0;
    await until(async () => {
      n++;
      const kind = { type: 'llm_call', model: 'gpt-4o' };
      await api.post('/api/ingest', {
        spans: [{ id: `ends-${n}`, trace_id: RECORDED.trace, name: 'ends', kind, error: 'no', ended_at: '2026-11-23' }],
      });
      return tails.every((tail) => tail.out().includes('ends'));
    });
    for (const tail of tails) tail.interrupt();
    expect((await Promise.all(tails.map(({ finished }) => finished))).map(({ code }) => code)).toEqual([130, 130, 130]);
  });

  it('names every command', async () => {
    const { out } = await run('npx spandrel --help');
    for (const name of ['traces', 'spans', 'sessions', 'stats', 'datasets', 'eval', 'api', 'doctor']) {
      expect(out).toMatch(new RegExp(`^ {2}${name}\\b`, 'm'));
      expect(page).toContain(`npx spandrel ${name}`);
    }
  });
});
