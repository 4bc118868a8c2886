import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { DatasetResource, EvalRunResource } from '@spandrel/contract';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { tempDir } from '../support/spandrel.ts';
import type { EvalCommandLab } from './eval-command-lab.ts';

/** What somebody trips over on the first day with datasets and runs. */
export function evalStumbles(lab: () => EvalCommandLab): void {
  const folder = tempDir();
  const write = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const rows = (...inputs: string[]): string =>
    inputs.map((input) => `{"input":"${input}","expected":"${input}"}\n`).join('');
  const datasetNamed = async (name: string): Promise<DatasetResource | undefined> => {
    const { body } = await lab().api.get<{ datasets: DatasetResource[] }>('/api/datasets?limit=1000');
    return body.datasets.find((dataset) => dataset.name === name);
  };

  describe('spandrel datasets import', () => {
    it('says that rows were there already, leaves them out, or replaces', async () => {
      const file = write('rows.jsonl', rows('a', 'b', 'c'));
      const load = (from: string, ...more: string[]) =>
        lab().cli.run(['datasets', 'import', from, '--dataset', 'again', ...more]);
      expect(await load(file)).toMatchObject({ code: 0, out: 'imported 3 datapoints into "again"\n' });
      const twice = await load(file);
      expect(twice.out).toMatch(
        /^imported 3 datapoints .*\ntook 3 rows that were there already once more: --dedupe .* --replace /,
      );
      expect((await datasetNamed('again'))!.datapoint_count).toBe(6);
      expect((await load(file, '--dedupe')).out).toMatch(
        /^imported 0 datapoints .*\nleft out 3 rows that were there already\n/,
      );
      const other = write('other.jsonl', rows('b', 'd'));
      expect((await load(other, '--replace')).out).toBe(
        'imported 2 datapoints into "again"\nremoved 5 datapoints that the file does not have\nkept 1 datapoint that the file has, too\n',
      );
      expect((await datasetNamed('again'))!.datapoint_count).toBe(2);
    });

    it('that is refused leaves no dataset behind, and one that was there as it was', async () => {
      const bad = write('bad.jsonl', `${rows('a')}[1]\n`);
      const empty = write('empty.csv', '');
      for (const file of [bad, empty]) {
        const { code } = await lab().cli.run(['datasets', 'import', file, '--dataset', 'never made']);
        expect([code, await datasetNamed('never made')]).toEqual([4, undefined]);
      }
      await lab().api.post('/api/datasets', { name: 'was there' });
      expect((await lab().cli.run(['datasets', 'import', bad, '--dataset', 'was there'])).code).toBe(4);
      expect(await datasetNamed('was there')).toMatchObject({ datapoint_count: 0 });
    });
  });

  describe('a run', () => {
    it('over nothing is done, has nothing to evaluate, and is no pass', async () => {
      await lab().api.post('/api/datasets', { name: 'nothing' });
      const junit = join(folder, 'nothing.xml');
      const { code, out } = await lab().run('nothing', 'gpt-5.1', '-o', `junit=${junit}`, '--threshold', 'mean >= 0.5');
      expect([code, out]).toEqual([2, expect.stringMatching(/^Done, nothing to evaluate {2}http/m)]);
      expect(readFileSync(junit, 'utf8')).toMatch(/<error message="There was nothing to evaluate/);
      const { id } = await lab().lastRun();
      expect((await lab().cli.run(['eval', 'check', id])).code).toBe(2);
      const file = write(
        'nothing.eval.mjs',
        `import { defineEval } from '@spandrel/sdk/eval';
        export default defineEval({ dataset: 'nothing', task: () => 'x' });`,
      );
      expect(await lab().cli.run(['eval', 'file', file])).toMatchObject({
        code: 2,
        err: expect.stringContaining('has no datapoints'),
      });
    });

    it('over items that are refused leaves no dataset behind', async () => {
      const file = write(
        'refused.eval.mjs',
        `import { defineEval } from '@spandrel/sdk/eval';
        export default defineEval({ dataset: { name: 'refused', items: [{ messages: 'no list' }] }, task: () => 'x' });`,
      );
      const { code, err } = await lab().cli.run(['eval', 'file', file]);
      expect([code, err, await datasetNamed('refused')]).toEqual([
        ...[4, expect.stringContaining('validation_failed'), undefined],
      ]);
    });

    it('is named by branch and commit, else by its time', async () => {
      const env = { GITHUB_SHA: '3f2c1abd99e0', GITHUB_REF_NAME: 'main' };
      const words = ['eval', 'run', '--dataset', 'capitals', '--connection', 'fake', '--scoring', 'Contains'];
      await lab().cli.run(words, { env });
      expect((await lab().lastRun()).name).toBe('capitals, gpt-5.1, main@3f2c1ab');
      await lab().cli.run(words);
      const { name, created_at: at } = await lab().lastRun();
      const [, time] = /^capitals, gpt-5.1, (\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ)$/.exec(name)!;
      expect(Math.abs(Date.parse(time!) - Date.parse(at))).toBeLessThan(60_000);
      const file = write(
        'named.eval.mjs',
        `import { defineEval } from '@spandrel/sdk/eval';
        export default defineEval({ dataset: 'capitals', task: () => 'x', metadata: { commit: '3f2c1abd99e0', branch: 'main' } });`,
      );
      await lab().cli.run(['eval', 'file', file]);
      expect((await lab().lastRun()).name).toBe('capitals, main@3f2c1ab');
    });

    it('is found by its name wherever a command takes a run, and one of several by its id', async () => {
      const named = (name: string) => lab().run('capitals', 'gpt-5.1', '--name', name);
      await named('the first');
      const first = await lab().lastRun();
      await named('the second');
      const baseline = await lab().run('capitals', 'gpt-5.1', '--baseline', 'the first', '--fail-on-regression');
      expect([baseline.code, (await lab().lastRun()).gates]).toMatchObject([0, [{ baseline_run_id: first.id }]]);
      for (const words of [
        ['compare', 'the second', 'the first'],
        ['show', 'the second', '--baseline', 'the first'],
        ['check', 'the second', '--baseline', 'the first'],
      ]) {
        const { code, out } = await lab().cli.run(['eval', ...words]);
        expect([words, code, out]).toEqual([words, 0, expect.stringContaining(first.id)]);
      }
      expect(await lab().cli.run(['eval', 'cancel', 'the first'])).toMatchObject({
        code: 4,
        err: expect.stringContaining('eval_run_not_running'),
      });
      await named('the first');
      const another = await lab().lastRun();
      for (const words of [
        ['show', 'the first'],
        ['compare', 'the second', 'the first'],
        ['check', 'the second', '--baseline', 'the first'],
      ]) {
        const { code, err } = await lab().cli.run(['eval', ...words]);
        expect([code, err]).toEqual([
          1,
          expect.stringMatching(/2 eval runs are called "the first"; give the id of one:/),
        ]);
        for (const { id, created_at: at } of [first, another])
          expect(err).toMatch(new RegExp(`${id} ${at} completed score 0\\.75`));
      }
      expect((await lab().cli.run(['eval', 'show', 'the third'])).err).toContain('eval_run_not_found');
    });

    it('has its results as tables: by eval run, show, check, and by eval file for each run', async () => {
      const file = (name: string): string => join(folder, name);
      await lab().run('capitals', 'gpt-5.1', '-o', `csv=${file('a/run.csv')}`, '-o', `parquet=${file('run.parquet')}`);
      const { id, result_items: _items, ...run } = await lab().lastRun();
      const csv = readFileSync(file('a/run.csv'), 'utf8');
      expect(csv).toBe(await (await fetch(`${lab().url}/api/eval/${id}/items?format=csv`)).text());
      const table = await parquetReadObjects({ file: await asyncBufferFromFile(file('run.parquet')) });
      expect(table.map(({ score }) => score as number).reduce((sum, score) => sum + score, 0) / 4).toBe(run.avg_score);
      for (const command of ['show', 'check']) {
        expect((await lab().cli.run(['eval', command, id, '-o', `csv=${file(command)}`])).code).toBe(0);
        expect(readFileSync(file(command), 'utf8')).toBe(csv);
      }
      const evals = ['x', 'y'].map((output) =>
        write(
          `${output}.eval.mjs`,
          `import { defineEval } from '@spandrel/sdk/eval';
          export default defineEval({ dataset: 'capitals', task: () => '${output}' });`,
        ),
      );
      await lab().cli.run(['eval', 'file', ...evals, '-o', `csv=${file('both.csv')}`]);
      for (const [n, output] of ['x', 'y'].entries()) {
        expect(readFileSync(file(`both-${n + 1}.csv`), 'utf8').match(new RegExp(`,${output},`, 'g'))).toHaveLength(4);
      }
      await lab().cli.run(['eval', 'file', evals[0]!, '-o', `csv=${file('one.csv')}`]);
      expect(readFileSync(file('one.csv'), 'utf8').split('\n')).toHaveLength(6);
    });

    it('with repeats shows the worst try of a datapoint with its number', async () => {
      const eval_ = write(
        'tries.eval.mjs',
        `import { defineEval, scorer } from '@spandrel/sdk/eval';
        export default defineEval({
          name: 'tries', dataset: { name: 'tries', items: [{ input: 'q' }] }, repeats: 3,
          task: (_, { repeat }) => 'answer ' + repeat,
          scorers: [scorer('s', ({ output }) => ({ score: { 'answer 0': 1, 'answer 1': 0.25, 'answer 2': 0.5 }[output], reason: 'about ' + output }))],
        });`,
      );
      const [junit, markdown] = [join(folder, 'tries.xml'), join(folder, 'tries.markdown')];
      const { out } = await lab().cli.run([
        'eval',
        'file',
        eval_,
        '-o',
        `junit=${junit}`,
        '-o',
        `markdown=${markdown}`,
      ]);
      expect(out).toMatch(/^fails +q +answer 1 +1 of 3 samples passed, mean score 0.583,/m);
      expect(readFileSync(junit, 'utf8')).toMatch(
        /message="1 of 3 samples passed, mean score 0.583, worst try 2 with score 0.25" type="failed">Input: q\nOutput: answer 1\nReason: about answer 1/,
      );
      expect(readFileSync(markdown, 'utf8')).toMatch(
        /\| `q` \| – \| `answer 1` \| `.*worst try 2 with score 0.25: about answer 1` \|/,
      );
      const run: EvalRunResource = await lab().lastRun();
      const refused = await lab().cli.run(['eval', 'file', eval_, '--repeats', '2', '--resume', run.id]);
      expect([refused.code, refused.err]).toEqual([
        2,
        expect.stringContaining(`resume: run ${run.id} has repeats 3, not 2`),
      ]);
      const steady = write('steady.eval.mjs', readFileSync(eval_, 'utf8').replace("'answer ' + repeat", "'answer 0'"));
      await lab().cli.run(['eval', 'file', steady]);
      const compared = await lab().cli.run(['eval', 'compare', (await lab().lastRun()).id, run.id]);
      expect(compared.out).toMatch(
        /^ *\+0\.417 +0\.583 → 1 +q +worst try 2 with score 0\.25: answer 1 +worst try 1 with score 1: answer 0$/m,
      );
    });
  });
}
