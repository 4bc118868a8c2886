import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { EvalRunResource, TraceListItem } from '@spandrel/contract';
import { validateXML } from 'xmllint-wasm';
import { spawnSpandrel, until } from '../support/spandrel.ts';
import type { EvalCommandLab } from './eval-command-lab.ts';

/** An eval over doubled numbers that is right where the task says so. @param members of the definition, as they are written. */
const source = (name: string, isRight: string, members = ''): string => `
import { defineEval, exactMatch } from '@spandrel/sdk/eval';

export default defineEval({
  name: '${name}',
  dataset: { name: 'doubles', items: Array.from({ length: 20 }, (_, n) => ({ input: String(n), expected: String(n + n) })) },
  task: ({ input }: { input: string }) => {
    const n = Number(input);
    return ${isRight} ? String(n + n) : 'no idea';
  },
  scorers: [exactMatch],
  ${members}
});
`;

/** `spandrel eval file`: evals of one's own code. */
export function evalFiles(lab: () => EvalCommandLab): void {
  let folder: string;
  const file = (name: string): string => join(folder, name);
  const write = (name: string, text: string): void => writeFileSync(file(name), text);
  const runs = async (): Promise<EvalRunResource[]> =>
    (await lab().api.get<{ runs: EvalRunResource[] }>('/api/eval?execution=external&limit=50')).body.runs;
  let before: number;

  beforeAll(() => {
    folder = join(lab().folder, 'evals');
    mkdirSync(folder);
    write('a-good.eval.ts', source('good', 'n > 0', "gates: ['mean >= 0.9'],"));
    write('b-worse.eval.ts', source('worse', 'n > 9', "gates: ['no regression'], baseline: 'latest',"));
    write('c-bad.eval.mjs', source('bad', 'false', "gates: ['mean >= 0.5'],").replace(': { input: string }', ''));
    write('throws.ts', "throw new Error('no key is set');\n");
    write('other.ts', 'export default { dataset: 1 };\n');
    write('empty.ts', 'export const a = 1;\n');
    write('notes.txt', 'no eval');
    write('wrong.ts', source('wrong', 'true', "gates: ['meen > 1'],"));
  });
  beforeEach(async () => {
    before = (await runs()).length;
  });

  describe('spandrel eval file', () => {
    it('runs an eval and judges it', async () => {
      const junit = file('junit.xml');
      const { code, out, err } = await lab().cli.run(['eval', 'file', file('a-good.eval.ts'), '-o', `junit=${junit}`]);
      expect([code, err]).toEqual([0, expect.stringContaining('good: 100% (20 of 20 samples)\n')]);
      expect(out).toMatch(/a-good\.eval\.ts: good \(dataset doubles, 20 datapoints\)$/m);
      expect(out).toMatch(/^mean >= 0.9 +0.95 +holds$/m);
      expect(out).toMatch(/^fails +0 +0 +no idea +score 0 is below 1$/m);
      const [run] = await runs();
      expect(run).toMatchObject({ name: 'good', execution: 'external', passed: true, total: 20 });
      const { errors } = await validateXML({
        xml: readFileSync(junit, 'utf8'),
        schema: readFileSync(resolve('test/cli/fixtures/junit.xsd'), 'utf8'),
      });
      expect(errors).toEqual([]);
      await until(async () => {
        const { body } = await lab().api.get<{ traces: TraceListItem[] }>('/api/traces?tag=eval&limit=100');
        return body.traces.length >= 20;
      });
    });

    it('runs several, says what each came to, and ends with the code that is most certain', async () => {
      const pattern = relative('.', file('{a,b}-*.eval.ts'));
      const worse = await lab().cli.run(['eval', 'file', pattern]);
      expect(worse.code).toBe(11);
      expect(worse.out).toMatch(/^no regression +worse +does not hold$/m);
      expect(worse.out).toMatch(
        /^eval +score +came to\n\S+a-good\.eval\.ts +0.95 +passed\n\S+b-worse\.eval\.ts +0.5 +worse than the baseline\n$/m,
      );
      const report = file('deep/all.json');
      const args = ['eval', 'file', file('b-worse.eval.ts'), file('c-bad.eval.mjs'), '-o', `json=${report}`, '--json'];
      const { code, out } = await lab().cli.run(args, { env: { GITHUB_ACTIONS: 'true' } });
      expect(code).toBe(10);
      const { evals } = JSON.parse(out) as { evals: object[] };
      // The newest run is the worse one itself now: beside it nothing is worse.
      expect(evals).toMatchObject([
        { verdict: 'passed', exit_code: 0, run: { name: 'worse' } },
        { verdict: 'gate', exit_code: 10, gates: [{ gate: 'mean >= 0.5', found: '0', passed: false }] },
      ]);
      expect(JSON.parse(readFileSync(report, 'utf8'))).toMatchObject({ evals: [{ items: { length: 20 } }, {}] });
    });

    it('runs those that are asked for, as often as is said', async () => {
      const { code } = await lab().cli.run([
        ...['eval', 'file', file('*.eval.*'), '--grep', '^go+d$', '--repeats', '2', '--concurrency', '3'],
      ]);
      expect([code, (await runs()).length - before]).toEqual([0, 1]);
      expect((await runs())[0]).toMatchObject({ name: 'good', repeats: 2, sample_total: 40 });
    });

    it.each([
      ['a file that is not there', ['nowhere.ts'], 'nowhere.ts: there is no such file'],
      [
        'a file that does not load',
        ['throws.ts'],
        /throws\.ts: does not load\nError: no key is set\nat .*throws\.ts:1/,
      ],
      [
        'an export of something else',
        ['other.ts'],
        /other\.ts: its default export must be made by defineEval of @spandrel\/sdk\/eval$/m,
      ],
      ['no default export', ['empty.ts'], /made by defineEval of @spandrel\/sdk\/eval; it has none$/m],
      ['a definition with a fault', ['wrong.ts'], /wrong\.ts: does not load\n.*"meen" is no metric \(mean\?\)/],
      ['a file of another kind', ['notes.txt'], 'notes.txt: is neither TypeScript nor JavaScript'],
      ['a name that none has', ['a-good.eval.ts', '--grep', 'nobody'], '--grep: no eval has a name with nobody in it'],
      ['a pattern that is none', ['a-good.eval.ts', '--grep', '('], '--grep: '],
      [
        'two evals for one run',
        ['a-good.eval.ts', 'b-worse.eval.ts', '--resume', 'R'],
        '--resume: a run is of one eval',
      ],
    ])('ends with 2 for %s, before any eval is run', async (_what, words, fault) => {
      const args = words.map((word) => (/\.(ts|txt)$/.test(word) ? file(word) : word));
      const { code, err } = await lab().cli.run(['eval', 'file', file('a-good.eval.ts'), ...args]);
      expect([code, err.replaceAll('spandrel: ', '')]).toEqual([
        2,
        typeof fault === 'string' ? expect.stringContaining(fault) : expect.stringMatching(fault),
      ]);
      expect((await runs()).length).toBe(before);
    });

    it('ends with 4 when the server refuses one, and runs the others', async () => {
      const strange = source('lost', 'true').replace('exactMatch }', 'exactMatch, server }');
      write('lost.eval.ts', strange.replace('[exactMatch]', "[exactMatch, server('Guess')]"));
      const junit = file('lost.xml');
      const args = ['eval', 'file', file('lost.eval.ts'), file('a-good.eval.ts'), '-o', `junit=${junit}`];
      const { code, out, err } = await lab().cli.run(args, { env: { GITHUB_ACTIONS: 'true' } });
      expect([code, err]).toEqual([4, expect.stringContaining('validation_failed (400)')]);
      expect(out).toMatch(/^\S+a-good\.eval\.ts +0.95 +passed$/m);
      expect(out).toMatch(/^::error file=\S+lost\.eval\.ts::validation_failed/m);
      expect(readFileSync(junit, 'utf8')).toMatch(/name="the eval is run".*\n.*<error message="validation_failed/);
    });

    it('ends with 3 when no server answers', async () => {
      const { code } = await lab().cli.run(['eval', 'file', file('a-good.eval.ts'), '--url', 'http://127.0.0.1:9']);
      expect(code).toBe(3);
    });

    it('as a program lends its SDK, and ends whatever the file leaves open', async () => {
      write('open.eval.ts', `${source('open', 'true')}\nsetInterval(() => {}, 1_000);\n`);
      const child = spawnSpandrel(['eval', 'file', file('open.eval.ts')], { SPANDREL_API_URL: lab().url }, 'ignore');
      expect(await new Promise((done) => child.on('exit', (...end) => done(end)))).toEqual([0, null]);
      expect((await runs())[0]).toMatchObject({ name: 'open', status: 'completed', avg_score: 1 });
    });

    it('ends with 130 when it is interrupted, and cancels the run', async () => {
      write(
        'slow.eval.ts',
        source('slow', 'n < 3')
          .replace('const n', "if (input === '5') await new Promise(() => {});\nconst n")
          .replace('task: (', 'task: async ('),
      );
      const interrupted = lab().cli.start(['eval', 'file', file('slow.eval.ts'), '--concurrency', '1']);
      await until(async () => {
        const [newest] = await runs();
        return newest?.name === 'slow' && newest.sample_progress >= 1;
      });
      interrupted.interrupt();
      expect(await interrupted.finished).toMatchObject({ code: 130 });
      expect((await runs())[0]).toMatchObject({ name: 'slow', status: 'cancelled' });
    });
  });
}
