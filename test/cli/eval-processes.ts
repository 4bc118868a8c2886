import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { EvalRunResource } from '@spandrel/contract';
import { spawnSpandrel, tempDir, until } from '../support/spandrel.ts';
import type { EvalCommandLab } from './eval-command-lab.ts';

interface Ended {
  code: number | null;
  out: string;
  err: string;
}

/** An eval over five numbers. @param head what stands before it. @param task its body, which has `n`. */
const source = (name: string, task: string, head = '', members = ''): string => `
import { defineEval, exactMatch } from '@spandrel/sdk/eval';
${head}
export default defineEval({
  name: '${name}',
  dataset: { name: 'five', items: Array.from({ length: 5 }, (_, n) => ({ input: String(n), expected: String(n) })) },
  concurrency: 1,
  task: async ({ input }) => {
    const n = Number(input);
    ${task}
    return input;
  },
  scorers: [exactMatch],
  ${members}
});
`;

/** `spandrel eval file` as a program, on files whose code does not behave. */
export function evalProcesses(lab: () => EvalCommandLab): void {
  const folder = tempDir();
  const path = (name: string): string => join(folder, name);
  const write = (name: string, text: string): string => {
    writeFileSync(path(name), text);
    return path(name);
  };
  const start = (args: string[], env: Record<string, string> = {}) => {
    const child = spawnSpandrel(['eval', ...args], { SPANDREL_API_URL: lab().url, ...env }, ['ignore', 'pipe', 'pipe']);
    const ended: Ended = { code: null, out: '', err: '' };
    child.stdout!.setEncoding('utf8').on('data', (text: string) => (ended.out += text));
    child.stderr!.setEncoding('utf8').on('data', (text: string) => (ended.err += text));
    const finished = new Promise<Ended>((done) => child.on('close', (code) => done({ ...ended, code })));
    return { child, ended, finished };
  };
  const run = (args: string[], env?: Record<string, string>): Promise<Ended> => start(args, env).finished;
  const runNamed = async (name: string): Promise<EvalRunResource | undefined> =>
    (await lab().api.get<{ runs: EvalRunResource[] }>(`/api/eval?name=${name}`)).body.runs[0];
  const good = (): string => write('good.eval.mjs', source('well behaved', ''));

  describe('spandrel eval file, as a program', () => {
    it.each([
      ['while it is loaded', 'process.exit(0);', '', 'its process ended (exit code 0) before it was loaded'],
      ['by a wait for nothing', 'await new Promise(() => {});', '', /its process ended \(exit code 13\) before it was/],
      [
        'in a task',
        '',
        'if (n === 2) process.exit(0);',
        /\(exit code 0\) before the eval had its verdict; --resume (\S+)/,
      ],
      ['by a signal', '', "process.kill(process.pid, 'SIGKILL');", /\(SIGKILL\) before the eval had its verdict/],
      [
        'by a throw beside it',
        '',
        "setTimeout(() => { throw new Error('stray'); }); await new Promise(() => {});",
        /\(exit code 1\) before the eval had its verdict/,
      ],
    ])(
      'ends with 1 and a sentence for a program that ends %s; others run, reports are written',
      async (_how, head, task, words) => {
        const bad = write('bad.eval.mjs', source('bad', task, head));
        for (const files of [[bad], [bad, good()]]) {
          const junit = path('report.xml');
          const { code, out, err } = await run(['file', ...files, '-o', `junit=${junit}`]);
          expect([code, err]).toEqual([
            1,
            typeof words === 'string' ? expect.stringContaining(words) : expect.stringMatching(words),
          ]);
          const report = readFileSync(junit, 'utf8');
          expect(report).toMatch(/<testsuite name="\S*bad\.eval\.mjs"[^>]* errors="1"/);
          if (files.length === 1) continue;
          expect(out).toMatch(/^\S+good\.eval\.mjs +1 +done, no gates$/m);
          expect(report).toContain('<testsuite name="well behaved"');
        }
      },
    );

    it('keeps the run of a program that ended, which is gone on with by its name', async () => {
      const marker = path('ended-once');
      const file = write(
        'once.eval.mjs',
        source(
          'half done',
          `if (n === 3 && !existsSync('${marker}')) {
             writeFileSync('${marker}', '');
             await new Promise((done) => setTimeout(done, 1_000));
             process.exit(0);
           }`,
          "import { existsSync, writeFileSync } from 'node:fs';",
        ),
      );
      const first = await run(['file', file]);
      expect([first.code, first.err]).toEqual([
        1,
        expect.stringMatching(/: run (\S+)\n[^]*--resume \1 goes on with its run/),
      ]);
      const second = await run(['file', file, '--resume', 'half done']);
      expect([second.code, await runNamed('half%20done')]).toMatchObject([
        0,
        { status: 'completed', sample_progress: 5 },
      ]);
      const third = await run(['file', file, '--resume', 'half done']);
      expect([third.code, third.err]).toEqual([
        0,
        expect.stringMatching(/^run \S+ was over before; nothing was tried$/m),
      ]);
    });

    it('goes on after a rejection that nobody takes, and says so', async () => {
      const file = write(
        'floating.eval.mjs',
        source('floating', "void Promise.reject(new Error('nobody takes this'));"),
      );
      const { code, out, err } = await run(['file', file]);
      expect([code, out]).toEqual([0, expect.stringMatching(/^Mean score of exactMatch +1 /m)]);
      expect(err).toMatch(/^unhandled rejection.*nobody takes this$/m);
    });

    it('writes one JSON document, whatever the code prints', async () => {
      const file = write(
        'loud.eval.mjs',
        source(
          'loud',
          "console.log('{ from the task'); process.stdout.write('and more\\\\n');",
          "console.log('while it loads');",
        ),
      );
      const { code, out, err } = await run(['file', file, good(), '--json']);
      const { evals } = JSON.parse(out) as { evals: { run: { id: string } }[] };
      expect([code, evals.length]).toEqual([0, 2]);
      for (const words of ['{ from the task', 'and more', 'while it loads', `run ${evals[0]!.run.id}`]) {
        expect(err).toContain(words);
      }
      expect((await run(['file', file])).out).not.toMatch(/from the task|while it loads/);
    });

    it('interrupted, cancels the run and writes what is known', async () => {
      const report = path('interrupted.json');
      const file = write('slow.eval.mjs', source('interrupted', 'if (n === 2) await new Promise(() => {});'));
      const { child, finished } = start([
        'file',
        good(),
        file,
        '-o',
        `json=${report}`,
        '-o',
        `csv=${path('part.csv')}`,
      ]);
      await until(async () => (await runNamed('interrupted'))?.sample_progress === 2);
      child.kill('SIGINT');
      expect((await finished).code).toBe(130);
      expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({
        evals: [
          { verdict: 'done', items: { length: 5 } },
          { verdict: 'stopped', run: { status: 'cancelled', sample_progress: 2 }, items: { length: 5 } },
        ],
      });
      expect(readFileSync(path('part-2.csv'), 'utf8').trimEnd().split('\n')).toHaveLength(6);
    });

    it('interrupted in eval run, the same', async () => {
      const report = path('run.xml');
      const words = [
        'run',
        '--dataset',
        'capitals',
        '--connection',
        'fake',
        '--model',
        'fake:hang',
        '--scoring',
        'None',
      ];
      lab().provider.requests.splice(0);
      const { child, finished } = start([...words, '-o', `junit=${report}`]);
      await until(() => lab().provider.requests.length > 0);
      child.kill('SIGTERM');
      expect((await finished).code).toBe(130);
      expect(readFileSync(report, 'utf8')).toContain('The run was stopped: it was cancelled; 0 of 4 samples');
    });
  });
}
