import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { validateXML } from 'xmllint-wasm';
import { spawnSpandrel, until } from '../support/spandrel.ts';
import { seedRun, singles } from '../evals/seeded-runs.ts';
import type { EvalCommandLab } from './eval-command-lab.ts';

/** A run whose model does not answer. */
const HANGING = [
  ...['eval', 'run', '--dataset', 'capitals', '--connection', 'fake'],
  ...['--model', 'fake:hang', '--scoring', 'None'],
];

/** What differs from one run to another, as it stands in the fixture. */
const withoutLuck = (text: string, url: string): string =>
  text
    .replaceAll(url, 'http://127.0.0.1:3000')
    .replace(/\b01[0-9A-HJKMNP-TV-Z]{24}\b/g, 'ID')
    .replace(/\d+(\.\d+)? m?s\b/g, '0 ms');

/** `spandrel eval run`: what each exit code stands for, and what reports say. */
export function evalRuns(lab: () => EvalCommandLab): void {
  beforeEach(() => void lab().provider.requests.splice(0));

  describe('spandrel eval run', () => {
    it('ends with 0 when all gates hold, and writes reports of it', async () => {
      const files = ['junit=junit.xml', 'json=deep/report.json', 'markdown=report.markdown'].map((each) => {
        const [format, file] = each.split('=');
        return [format!, join(lab().folder, file!)] as const;
      });
      const [junit, json, markdown] = files.map(([, file]) => file) as [string, string, string];
      const summary = join(lab().folder, 'summary.markdown');
      const { code, out, err } = await lab().cli.run(
        [
          ...[
            'eval',
            'run',
            '--dataset',
            'capitals',
            '--connection',
            'fake',
            '--scoring',
            'Contains',
            '--repeats',
            '2',
          ],
          ...['--threshold', 'pass_rate >= 70%', '--threshold', 'failed_samples <= 0', '--name', 'one | two'],
          ...[
            '--metadata',
            'branch=main',
            '--metadata',
            'commit=3f2c1ab',
            '--system-prompt',
            'Be brief.',
            '--temperature',
            '0',
          ],
          ...files.flatMap(([format, file]) => ['-o', `${format}=${file}`]),
        ],
        { env: { GITHUB_STEP_SUMMARY: summary, GITHUB_ACTIONS: 'true' } },
      );
      expect([code, err]).toEqual([0, expect.stringContaining('one | two: 100% (8 of 8 samples)\n')]);
      expect(out).toMatch(/^Passed {2}http:\S+\/evaluations\/01\w+$/m);
      expect(out).not.toContain('::error');

      const started = await lab().lastRun();
      expect(started).toMatchObject({
        ...{ name: 'one | two', repeats: 2, metadata: { branch: 'main', commit: '3f2c1ab' }, passed: true },
        config: { model: 'gpt-5.1', system_prompt: 'Be brief.', temperature: 0 },
        gates: [
          { metric: 'pass_rate', op: '>=', value: 0.7, actual: 0.75, passed: true },
          { metric: 'failed_samples', passed: true },
        ],
      });
      const { errors } = await validateXML({
        xml: readFileSync(junit, 'utf8'),
        schema: readFileSync(resolve('test/cli/fixtures/junit.xsd'), 'utf8'),
      });
      expect(errors).toEqual([]);
      expect(readFileSync(junit, 'utf8')).toMatch(
        /<failure message="0 of 2 samples passed, mean score 0" type="failed">Input: question 3\nExpected: Nairobi\nOutput: You said: question 3</,
      );
      expect(JSON.parse(readFileSync(json, 'utf8'))).toMatchObject({
        ...{ verdict: 'passed', exit_code: 0, run: { id: started.id }, statistics: { samples: 8 } },
        items: [{ score: 1, samples: [{ repeat: 0 }, { repeat: 1 }] }, {}, {}, { score: 0 }],
      });
      const page = readFileSync(markdown, 'utf8');
      expect(withoutLuck(page, lab().url)).toBe(readFileSync(resolve('test/cli/fixtures/eval-run.markdown'), 'utf8'));
      expect(readFileSync(summary, 'utf8')).toBe(`${page}\n`);
    });

    it('ends with 10 when a gate does not hold, which GitHub shows', async () => {
      const { code, out } = await lab().cli.run(
        [
          'eval',
          'run',
          '--dataset',
          'capitals',
          '--connection',
          'fake',
          '--scoring',
          'Contains',
          '--threshold',
          'mean > 0.75',
        ],
        { env: { GITHUB_ACTIONS: 'true' } },
      );
      expect(code).toBe(10);
      expect(out).toMatch(/^mean > 0.75 +0.75 +does not hold$/m);
      expect(out).toMatch(/^fails +question 3 +Nairobi +You said: question 3 +score 0 is below 1$/m);
      expect(out).toMatch(/^::error title=eval capitals%2C gpt-5.1%2C \S+Z::mean > 0.75 does not hold: found 0.75$/m);
    });

    it('distinguishes a regression from noise: 11 and 0, and 10 when a gate does not hold either', async () => {
      const baseline = ['--baseline', 'latest:branch=main', '--fail-on-regression'];
      // Before there is a run of main nothing can be compared; that is said and holds nobody up.
      const first = await lab().run('luck', 'fake:chance:0.8', ...baseline, '--metadata', 'branch=main');
      expect([first.code, first.err]).toEqual([
        0,
        expect.stringContaining('has no completed run for the baseline latest:branch=main'),
      ]);
      const main = await lab().lastRun();
      expect(main.gates).toEqual([]);

      const noise = await lab().run('luck', 'fake:chance:0.8', ...baseline);
      expect(noise.out).toMatch(
        /^Compared with luck, fake:chance:0.8, \S+Z \(01\w+\): No difference shown \(a change of 0\.\d+ or more would have been\).*\.$/m,
      );
      expect([noise.code, await lab().lastRun()]).toMatchObject([
        0,
        { passed: true, gates: [{ metric: 'regression', baseline_run_id: main.id, actual: 'no_difference' }] },
      ]);

      const worse = await lab().run('luck', 'fake:chance:0.5', ...baseline);
      expect(worse.out).toMatch(/^ {2}Contains: -0\.\d+ \(95% interval -0\.\d+ to -0\.\d+, p [<0]/m);
      expect([worse.code, await lab().lastRun()]).toMatchObject([11, { passed: false, gates: [{ actual: 'worse' }] }]);

      const both = await lab().run('luck', 'fake:chance:0.5', ...baseline, '--threshold', 'mean >= 0.9');
      expect(both.code).toBe(10);
    });

    it('holds a run against none that was scored differently, unless that is allowed', async () => {
      const against = (baseline: string, ...more: string[]) =>
        lab().run('capitals', 'gpt-5.1', '--baseline', baseline, '--fail-on-regression', ...more);
      await lab().run('capitals', 'gpt-5.1', '--metadata', 'branch=scored');
      const { id } = await lab().lastRun();
      for (const alpha of [[], ['--alpha', '0.1']]) {
        const other = await against(id, '--pass-score', '0.5', ...alpha);
        expect([other.code, other.out]).toEqual([
          10,
          expect.stringMatching(
            /^no regression.* +unknown: scored differently: pass_score 0.5 instead of 1; .*does not hold$/m,
          ),
        ]);
        expect(other.out).toMatch(/^Compared with .*: Not known; scored differently: pass_score 0.5 instead of 1;/m);
        const allowed = await against(id, '--pass-score', '0.5', '--allow-different-scoring', ...alpha);
        expect([allowed.code, allowed.out]).toEqual([
          0,
          expect.stringMatching(/^no regression.* +no difference +holds$/m),
        ]);
      }
      // The runs above have no such metadata; that one was scored differently.
      const skipped = await against('latest:branch=scored', '--pass-score', '0.5');
      expect([skipped.code, skipped.out]).toEqual([
        0,
        expect.stringMatching(
          /^The regression gate was skipped: the dataset "capitals" has no completed run for the baseline latest:branch=scored \(those that there are were scored or executed differently/,
        ),
      ]);
      const required = await against('latest:branch=scorde', '--require-baseline');
      expect([required.code, required.out.split('\n', 1)[0]]).toEqual([
        10,
        expect.stringMatching(/^The regression gate was skipped: .* \(no run has branch=scorde \(scored\?\)\)\.$/),
      ]);
      expect(required.out).toMatch(/^a baseline +none +does not hold$/m);
      const alike = await against('latest:branch=scored', '--require-baseline');
      expect([alike.code, (await lab().lastRun()).gates]).toMatchObject([
        0,
        [{ metric: 'regression', baseline_run_id: id, max_new_failures: 0.01, passed: true }],
      ]);
      const any = await against('latest:branch=scored', '--pass-score', '0.5', '--allow-different-scoring');
      expect([any.code, (await lab().lastRun()).gates]).toMatchObject([
        0,
        [{ baseline_run_id: id, allow_different_scoring: true, actual: 'no_difference' }],
      ]);
      const matrix = await against('latest:branch=scored', '--model', 'fake:chance:1');
      expect(matrix.code).toBe(0);
    });

    it('ends with 11 when more samples fail than in the baseline', async () => {
      const { id: datasetId } = await lab().evals.dataset('x');
      const datapointIds = Array.from({ length: 20 }, (_, i) => `d${String(i).padStart(2, '0')}`);
      const failing = (count: number) =>
        seedRun(lab().evals, {
          datasetId,
          datapointIds,
          samples: singles(datapointIds.map((_, i) => (i < count ? null : 1))),
        });
      const [before, one, six] = [await failing(0), await failing(1), await failing(6)];
      const check = (run: string, ...more: string[]) =>
        lab().cli.run(['eval', 'check', run, '--baseline', before, '--fail-on-regression', ...more]);
      const found = await check(six, '--max-new-failures', '50%');
      expect([found.code, found.out]).toEqual([
        11,
        expect.stringMatching(
          /^no regression +worse: 6 of 20 samples failed, 0 in the baseline \(p 0.031\) +does not hold$/m,
        ),
      ]);
      expect((await check(one)).code).toBe(11);
      expect((await check(one, '--max-new-failures', '10%')).code).toBe(0);
      expect((await check(one, '--max-new-failures', '10%', '--alpha', '0.01')).code).toBe(0);
      expect((await check(one, '--alpha', '0.01')).code).toBe(11);
      expect(
        (await lab().cli.run(['eval', 'check', one, '--baseline', before, '--threshold', 'new_failures <= 4%'])).code,
      ).toBe(10);
    });

    it('ends with 12 at its cost cap, and when somebody cancels the run', async () => {
      // One call costs (11 × 1.25 + 7 × 10) / 10⁶ dollars.
      const capped = await lab().run('capitals', 'gpt-5.1', '--max-cost', '0.0001', '--threshold', 'mean >= 0');
      expect([capped.code, capped.out]).toEqual([
        12,
        expect.stringContaining('it reached its cost cap; 1 of 4 samples'),
      ]);
      expect(capped.out).toMatch(/^mean >= 0 +– +not judged$/m);

      lab().provider.requests.splice(0);
      const watched = lab().cli.start(HANGING);
      await until(() => lab().provider.requests.length > 0);
      const { id } = await lab().lastRun();
      expect(await lab().cli.run(['eval', 'cancel', id])).toMatchObject({
        code: 0,
        out: expect.stringMatching(/^Cancelled capitals, fake:hang/),
      });
      expect(await watched.finished).toMatchObject({
        code: 12,
        out: expect.stringContaining('it was cancelled; 0 of 4'),
      });
      expect(await lab().cli.run(['eval', 'cancel', id])).toMatchObject({
        code: 4,
        err: expect.stringContaining('eval_run_not_running (400)'),
      });
    });

    it('ends with 130 when it is interrupted, and cancels the run', async () => {
      const interrupted = lab().cli.start(HANGING);
      await until(() => lab().provider.requests.length > 0);
      interrupted.interrupt();
      const { id } = await lab().lastRun();
      expect(await interrupted.finished).toMatchObject({
        code: 130,
        err: expect.stringContaining(`the run ${id} is cancelled`),
      });
      expect(await lab().evals.read(id)).toMatchObject({ status: 'cancelled', stop_reason: 'cancelled' });
    });

    it.each(['SIGINT', 'SIGTERM'] as const)('ends with 130 as a program of its own by %s', async (signal) => {
      const child = spawnSpandrel(HANGING, { SPANDREL_API_URL: lab().url }, 'ignore');
      const ended = new Promise((done) => child.on('exit', (...end) => done(end)));
      await until(() => lab().provider.requests.length > 0);
      child.kill(signal);
      // A terminal sends it to all of its programs, and bin/spandrel.cjs once more.
      child.kill(signal);
      expect(await ended).toEqual([130, null]);
      expect(await lab().lastRun()).toMatchObject({ status: 'cancelled', config: { model: 'fake:hang' } });
    });

    it('ends with 1 when the run comes to nothing', async () => {
      const { code, out } = await lab().run('capitals', 'fake:error-401');
      expect([code, out]).toEqual([1, expect.stringMatching(/all 4 items failed: .*\nThe run failed {2}http/)]);
    });

    it('ends with 2 when it is called wrongly, before anything is sent', async () => {
      const least = ['eval', 'run', '--url', 'http://127.0.0.1:9', '--dataset', 'd', '--connection', 'c'];
      for (const [more, fault] of [
        [[], 'give either --scoring, or --scorer'],
        [['--scoring', 'None', '--threshold', 'meen > 1'], '"meen" is no metric (mean?)'],
        [['--scoring', 'None', '--fail-on-regression'], '--fail-on-regression: needs --baseline'],
        [['--scoring', 'None', '-o', 'html=a'], '"html=a" is not FORMAT=FILE'],
        [['--scoring', 'None', '-o', `json=${lab().folder}`], 'is a folder'],
        [['--scoring', 'None', '--detach', '-o', 'json=a'], 'there is nothing to report with --detach'],
        [['--scorer', 'name=a'], '--scorer: scoring=NAME is missing'],
        [['--nonsense'], "unknown option '--nonsense'"],
      ] as const) {
        expect(await lab().cli.run([...least, ...more])).toMatchObject({
          code: 2,
          out: '',
          err: expect.stringContaining(fault),
        });
      }
    });

    it('ends with 3 when no server answers, and with 4 when it refuses', async () => {
      const away = ['--url', 'http://127.0.0.1:9'];
      for (const words of [
        ['run', '--dataset', 'd', '--connection', 'c', '--scoring', 'None'],
        ['cancel', 'r'],
      ]) {
        expect(await lab().cli.run(['eval', ...words, ...away])).toMatchObject({ code: 3, out: '' });
      }
      for (const [args, code] of [
        [['--dataset', 'nowhere', '--connection', 'fake', '--scoring', 'None'], 'dataset_not_found (404)'],
        [['--dataset', 'capitals', '--connection', 'nobody', '--scoring', 'None'], 'connection_not_found (404)'],
        [['--dataset', 'capitals', '--connection', 'fake', '--scoring', 'Guess'], 'validation_failed (400)'],
      ] as const) {
        expect(await lab().cli.run(['eval', 'run', ...args])).toMatchObject({
          code: 4,
          out: '',
          err: expect.stringContaining(code),
        });
      }
    });

    it('says which name may be meant where a connection or a dataset has none', async () => {
      const judged = ['--scorer', 'scoring=LlmJudge,judge_connection=fakke'];
      for (const [args, meant] of [
        [['--dataset', 'capitals', '--connection', 'faek', '--scoring', 'None'], '"faek"; is "fake" meant?'],
        [['--dataset', 'capitals', '--connection', 'Fake', '--scoring', 'None'], '"Fake"; is "fake" meant?'],
        [['--dataset', 'capitals', '--connection', 'fake', ...judged], '"fakke"; is "fake" meant?'],
        [['--dataset', 'capitls', '--connection', 'fake', '--scoring', 'None'], '"capitls"; is "capitals" meant?'],
        [['--dataset', 'capitals', '--connection', 'production', '--scoring', 'None'], '"production"; there are "'],
      ] as const) {
        const { code, out, err } = await lab().cli.run(['eval', 'run', ...args]);
        expect([code, out, err]).toEqual([4, '', expect.stringContaining(meant)]);
      }
    });

    it('takes several scorers, with judges that are connections by name', async () => {
      const { code, out } = await lab().run(
        'capitals',
        'gpt-5.1',
        ...['--scorer', 'scoring=Contains', '--threshold', 'tone.mean >= 0.8'],
        ...[
          '--scorer',
          'name=tone,scoring=LlmJudge,weight=0,judge_connection=fake,judge_model=fake:judge:0.8,rubric="polite, or not"',
        ],
      );
      expect([code, out]).toEqual([0, expect.stringMatching(/^Mean score of tone +0.8 +0.8 to 0.8$/m)]);
      expect((await lab().lastRun()).scorers).toMatchObject([
        { name: 'Contains', weight: 1 },
        { name: 'tone', weight: 0, judge: { connection_id: lab().evals.connectionId, rubric: 'polite, or not' } },
      ]);
    });
  });
}
