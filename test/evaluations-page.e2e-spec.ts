/** docs/evaluations.md: its example is typed as it stands there and answered as it says, and its tables come out of the formulas. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startEvalSchema } from '@spandrel/contract';
import { loadDistributions } from '../libs/evals/src/statistics/distributions.js';
import { differences } from './support/differences.ts';
import { startServerApp, type ServerApp } from './support/server-app.ts';
import { tempDir } from './support/spandrel.ts';

const { tQuantile } = await loadDistributions();
const page = readFileSync(resolve('docs/evaluations.md'), 'utf8');
const blocks = [...page.matchAll(/^```(\w+)( start)?\n(.*?)^```/gms)].map(([, language, start, code]) => ({
  language,
  isStart: start !== undefined,
  code: code!,
}));

/** What is typed, and the answer that the page shows below it. */
const steps = blocks.flatMap(({ language, code }, index) =>
  language === 'sh' ? [{ typed: code, shown: JSON.parse(blocks[index + 1]!.code) as unknown }] : [],
);

/** Stands between the outputs of two steps. */
const MARK = '\u001e';
/** The page rounds to four digits. */
const ROUNDED = 0.5e-4;

describe('the example of docs/evaluations.md', () => {
  let server: ServerApp;
  let outputs: string[];
  beforeAll(async () => {
    server = await startServerApp({ dialect: 'sqlite', file: join(tempDir(), 'spandrel.db') });
    outputs = await typeAll(server.url);
  });
  afterAll(() => server?.close());

  it('has five steps', () => expect(steps).toHaveLength(5));

  it.each(steps.map((step, index) => [index + 1, step] as const))('step %i', (number, { shown }) => {
    const answer = outputs[number - 1]!.trim().split('\n').at(-1)!;
    expect(answer).toMatch(/^\{.*\}$/);
    expect(differences(shown, JSON.parse(answer), ROUNDED)).toEqual([]);
  });
});

it('the body of a start is one', () => {
  const starts = blocks.filter(({ isStart }) => isStart).map(({ code }) => JSON.parse(code) as unknown);
  expect(starts).toHaveLength(1);
  for (const body of starts) expect(startEvalSchema.safeParse(body).error).toBeUndefined();
});

describe('the tables of docs/evaluations.md', () => {
  const Z = 1.959963984540054;
  /** The factor of `detectable_diff` with n datapoints: alpha 0.05, shown with a chance of 80%. */
  const detectable = (n: number): number => tQuantile(0.975, n - 1) + tQuantile(0.8, n - 1);
  const rows = page
    .split('\n')
    .filter((line) => /^\| +\d+ \|/.test(line))
    .map((line) =>
      line
        .split('|')
        .map((cell) => cell.trim().replace(/^±/, ''))
        .slice(1, -1),
    );

  it('say how wide intervals are, and which difference is shown', () => {
    const wilson = (n: number, p: number): number => {
      const z2 = Z ** 2 / n;
      return (Z / (1 + z2)) * Math.sqrt((p * (1 - p)) / n + z2 / (4 * n));
    };
    // The variance of a difference d, where a share q of the pairs differ, is q − d².
    const shown = (n: number, q: number): number => detectable(n) * Math.sqrt(q / (n + detectable(n) ** 2));
    const ofDatapoints = rows.filter(({ length }) => length === 7);
    expect(ofDatapoints).toEqual(
      [20, 50, 100, 200, 500, 1000, 5000].map((n) => [
        String(n),
        ...[0.5, 0.8, 0.95].map((p) => wilson(n, p).toFixed(3)),
        ...[0.1, 0.2, 0.4].map((q) => (shown(n, q) > q ? '–' : shown(n, q).toFixed(3))),
      ]),
    );
  });

  it('say what repeats are worth', () => {
    const [n, between, within] = [100, 0.3 ** 2, 0.35 ** 2];
    const ofDifference = (repeats: number): number => Math.sqrt((2 * within) / repeats / n);
    expect(rows.filter(({ length }) => length === 4)).toEqual(
      [1, 2, 4, 8, 16].map((repeats) => [
        String(repeats),
        Math.sqrt((between + within / repeats) / n).toFixed(4),
        ofDifference(repeats).toFixed(4),
        (detectable(n) * ofDifference(repeats)).toFixed(3),
      ]),
    );
  });
});

/** Types all steps into one shell, which ends at the first that fails. @returns what each prints, an answer a line. */
async function typeAll(url: string): Promise<string[]> {
  const script = steps
    .map(({ typed }) => `${typed}\nprintf '${MARK}'`)
    .join('\n')
    .replaceAll('http://127.0.0.1:3000', url)
    .replaceAll('curl ', 'curl --fail-with-body -sS -w "\\n" ');
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    // The example writes a file.
    cwd: tempDir(),
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let [output, errors] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (errors += text));
  const code = await new Promise((done) => child.on('close', done));
  expect([code, errors, code === 0 ? '' : output]).toEqual([0, '', '']);
  return output.split(MARK);
}
