import { beforeAll, describe, expect, it } from '@jest/globals';
import type { EvalRunSummary, EvalStatistics, Gate, Problem } from '@spandrel/contract';
import type { EvalsLab } from './evals-lab.ts';
import { seedRun, singles } from './seeded-runs.ts';

const RIGHT = Array<number>(20).fill(1);
const HALF = RIGHT.map((_, i) => (i < 10 ? 0 : 1));

/** Runs that were scored differently, and failures, on both databases (docs/spec/eval-statistics.md). */
export function differentlyScored(lab: () => EvalsLab): void {
  const compared = async (run: string, baseline: string, query = '') =>
    (await lab().api.get<EvalStatistics>(`/api/eval/${run}/statistics?baseline=${baseline}${query}`)).body.comparison!;
  const judge = async (run: string, ...gates: Gate[]) =>
    (await lab().api.post<EvalRunSummary>(`/api/eval/${run}/gates`, { gates })).body;

  describe('runs that were scored differently', () => {
    let datasetId: string;
    const names = RIGHT.map((_, i) => `d${String(i).padStart(2, '0')}`);
    beforeAll(async () => {
      datasetId = (await lab().dataset('x')).id;
    });
    const seed = (scores: readonly (number | null)[], start: object = {}) =>
      seedRun(lab(), { datasetId, datapointIds: names, samples: singles(scores), start: { ...start } });
    const scorers = (...listed: object[]) => ({
      ...{ scoring: undefined, scorers: listed.map((each) => ({ scoring: 'External', ...each })) },
    });

    it('have no verdict, and no gate that compares them holds', async () => {
      const before = await seed(HALF);
      const after = await seed(RIGHT, { pass_score: 0.5 });
      const differences = [
        { what: 'pass_score', run: 0.5, baseline: 1 },
        { what: 'scorers.External.pass_score', run: 0.5, baseline: 1 },
      ];
      const comparison = await compared(after, before);
      expect(comparison).toMatchObject({
        comparable: { score: false, scorers: { External: false }, differences },
        score: { verdict: 'unknown', diff: 0.5, better: 10 },
        scorers: { External: { verdict: 'unknown' } },
      });
      expect((await compared(after, before, '&allow_different_scoring=true')).score.verdict).toBe('better');
      const reason = expect.stringMatching(/^scored differently: pass_score 0\.5 instead of 1; /);
      const baseline_run_id = before;
      const gates: Gate[] = [
        { metric: 'regression', baseline_run_id },
        { metric: 'diff', op: '>=', value: 0, baseline_run_id },
        { metric: 'worse', op: '<=', value: 5, scorer: 'External', baseline_run_id },
        { metric: 'mean', op: '>=', value: 0.9 },
      ];
      const judged = await judge(after, ...gates);
      expect(judged).toMatchObject({
        passed: false,
        gates: [
          { actual: 'unknown', passed: false, reason },
          { actual: 0.5, passed: false, reason },
          { actual: 0, passed: false, reason: expect.stringContaining('scorers.External.pass_score') },
          { passed: true },
        ],
      });
      expect((await lab().summary(after)).gates).toEqual(judged.gates);
      const allowed = await judge(after, ...gates.map((gate) => ({ ...gate, allow_different_scoring: true })));
      expect(allowed).toMatchObject({ passed: true, gates: [{ actual: 'better' }, {}, {}, {}] });
      expect(allowed.gates.map((gate) => gate.allow_different_scoring)).toEqual([true, true, true, undefined]);
    });

    it('are compared by the scorers that are alike', async () => {
      const three = scorers({ name: 'a' }, { name: 'b' }, { name: 'c', weight: 0 });
      const one = scorers({ name: 'a' }, { name: 'c', weight: 0, pass_score: 0.5 });
      const sample = (score: number) => [{ score, scores: { a: score, b: 1, c: score } }];
      const of = { datasetId, datapointIds: names };
      const before = await seedRun(lab(), { ...of, start: three, samples: HALF.map(sample) });
      const after = await seedRun(lab(), { ...of, start: one, samples: RIGHT.map(sample) });
      const comparison = await compared(after, before);
      expect(comparison.comparable).toMatchObject({ score: false, scorers: { a: true, c: false } });
      expect([comparison.score.verdict, comparison.scorers['a']!.verdict, comparison.scorers['c']!.verdict]).toEqual([
        ...['unknown', 'better', 'unknown'],
      ]);
      const gates = ['a', 'c'].map((scorer) => ({ metric: 'regression', scorer, baseline_run_id: before }) as const);
      expect((await judge(after, ...gates)).gates.map(({ passed }) => passed)).toEqual([true, false]);
    });

    it('by a judge that follows the model, or was asked with another prompt', async () => {
      const { id } = await lab().dataset('a', 'b', 'c');
      const judged = (model: string, judge?: object) =>
        lab().run(id, { scoring: 'LlmJudge', config: { model, ...(judge && { judge }) } });
      const before = await judged('fake:judge:0.5');
      expect((await compared((await judged('fake:judge:0.75')).id, before.id)).comparable).toEqual({
        ...{ score: false, scorers: { LlmJudge: false } },
        differences: [{ what: 'scorers.LlmJudge.judge.model', run: 'fake:judge:0.75', baseline: 'fake:judge:0.5' }],
      });
      const named = await judged('gpt-5.1', { model: 'fake:judge:0.5' });
      const alike = await compared(named.id, before.id);
      expect(alike).toMatchObject({
        comparable: { score: true, differences: [] },
        score: { verdict: 'no_difference' },
      });
      expect(alike.differences).toEqual([{ what: 'config.model', run: 'gpt-5.1', baseline: 'fake:judge:0.5' }]);
      const rubric = await judged('gpt-5.1', { model: 'fake:judge:0.5', rubric: 'Is it short?' });
      expect((await compared(rubric.id, named.id)).comparable).toMatchObject({
        ...{
          score: false,
          differences: [{ what: 'scorers.LlmJudge.judge.rubric', run: 'Is it short?', baseline: null }],
        },
      });
    });

    it('are no baselines of each other', async () => {
      const { id } = await lab().dataset('a');
      const of = { datasetId: id, datapointIds: ['d1', 'd2'] };
      const start = { metadata: { branch: 'main' } };
      const seeded = (others: object, scores: (number | null)[] = [1, 0], status?: 'cancelled') =>
        seedRun(lab(), { ...of, samples: singles(scores), start: { ...start, ...others }, ...(status && { status }) });
      const first = await seeded({});
      const second = await seeded({});
      const stranger = await seeded({ pass_score: 0.5 });
      await seeded({}, [null, null]);
      await seeded({}, [1, 1], 'cancelled');
      const server = await lab().run(id, { ...start, scoring: 'None' });
      const run = await seeded({ metadata: { branch: 'x' } });
      const baselines = async (query: string) => {
        const { status, body } = await lab().api.get<{ runs: EvalRunSummary[]; next_cursor: string | null } & Problem>(
          `/api/datasets/${id}/eval?${query}`,
        );
        return { status, ids: body.runs?.map((each) => each.id), cursor: body.next_cursor, code: body.code };
      };
      expect((await baselines(`baseline_for=${run}&metadata.branch=main`)).ids).toEqual([second, first]);
      expect((await baselines(`baseline_for=${run}&allow_different_scoring=true`)).ids).toEqual([
        stranger,
        second,
        first,
      ]);
      const page = await baselines(`baseline_for=${run}&limit=1`);
      expect(page.ids).toEqual([second]);
      expect(await baselines(`baseline_for=${run}&limit=1&cursor=${page.cursor}`)).toMatchObject({
        ...{ ids: [first], cursor: null },
      });
      expect((await baselines(`baseline_for=${first}`)).ids).toEqual([run, second]);
      expect((await baselines(`baseline_for=${run}&metadata.branch=none`)).ids).toEqual([]);
      expect((await baselines(`baseline_for=${server.id}`)).ids).toEqual([]);
      expect(await baselines('baseline_for=nope')).toMatchObject({ status: 404, code: 'eval_run_not_found' });
      const foreign = await lab().run((await lab().dataset('b')).id, { scoring: 'None' });
      expect(await baselines(`baseline_for=${foreign.id}`)).toMatchObject({ status: 400, code: 'validation_failed' });
      const there = { 'x-test-project': 'another' };
      const { body: theirs } = await lab().api.send<{ id: string }>('POST', '/api/datasets', { name: 't' }, there);
      const path = `/api/datasets/${theirs.id}/eval?baseline_for=${run}`;
      expect((await lab().api.send<Problem>('GET', path, undefined, there)).body.code).toBe('eval_run_not_found');
    });

    it('differ in config, which the comparison says', async () => {
      const { id } = await lab().dataset('a');
      const before = await lab().run(id, { config: { system_prompt: 'Be brief.', temperature: 0 } });
      const config = { system_prompt: 'Be kind.', model: 'gpt-4.1-mini', max_tokens: 5 };
      const after = await lab().run(id, { config, repeats: 2 });
      const { differences, comparable } = await compared(after.id, before.id);
      expect(differences).toEqual([
        { what: 'config.model', run: 'gpt-4.1-mini', baseline: 'gpt-5.1' },
        { what: 'config.system_prompt', run: 'Be kind.', baseline: 'Be brief.' },
        { what: 'config.temperature', run: null, baseline: 0 },
        { what: 'config.max_tokens', run: 5, baseline: null },
        { what: 'repeats', run: 2, baseline: 1 },
      ]);
      expect(comparable).toEqual({ score: true, scorers: { None: true }, differences: [] });
    });

    it('have failures that count where a gate says so', async () => {
      const before = await seed(RIGHT);
      const failing = await seed(RIGHT.map((_, i) => (i < 6 ? null : 1)));
      expect((await compared(failing, before)).failures).toEqual({
        ...{ pairs: 20, run: 6, baseline: 0, new: 6, recovered: 0, diff: 0.3, test: 'mcnemar_exact' },
        // 2 · (1/2)⁶
        ...{ p_value: expect.closeTo(0.03125, 12), verdict: 'worse' },
      });
      const gate = { metric: 'regression', baseline_run_id: before } as const;
      expect(await judge(failing, gate, { ...gate, max_new_failures: 0.9 })).toMatchObject({
        gates: [
          { actual: 'no_difference', passed: true },
          { actual: 'worse', passed: false, max_new_failures: 0.9, reason: expect.stringContaining('6 of 20 samples') },
        ],
      });
      const one = await seed(RIGHT.map((_, i) => (i === 0 ? null : 1)));
      const rise = { metric: 'new_failures', op: '<=', value: 0.05, baseline_run_id: before } as const;
      const judged = await judge(one, { ...gate, max_new_failures: 0.01 }, { ...gate, max_new_failures: 0.05 }, rise);
      expect(judged.gates.map(({ actual, passed }) => [actual, passed])).toEqual([
        ['worse', false],
        ['no_difference', true],
        [0.05, true],
      ]);
      const refused = await lab().api.post<Problem>(`/api/eval/${one}/gates`, {
        gates: [
          { ...gate, max_new_failures: 2 },
          { metric: 'new_failures', op: '<=', value: 0 },
        ],
      });
      expect(refused.body.errors?.map(({ path }) => path)).toEqual([
        ...['gates[0].max_new_failures', 'gates[1].baseline_run_id'],
      ]);
    });
  });
}
