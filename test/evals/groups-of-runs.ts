import { beforeAll, describe, expect, it } from '@jest/globals';
import type { EvalMetadata, EvalRunSummary, EvalStatistics, Gate, Problem } from '@spandrel/contract';
import type { EvalsLab } from './evals-lab.ts';
import { seedRun, singles } from './seeded-runs.ts';

const CATEGORIES = ['billing', 'legal', 'login', 'refunds', 'shipping', 'stock'];
const OF_EACH = 50;
const near = (value: number) => expect.closeTo(value, 11);

/** Results by category, and gates of them, on both databases. */
export function groupsOfRuns(lab: () => EvalsLab): void {
  describe('results by category', () => {
    let dataset: { id: string; datapointIds: string[] };
    /** The prompt before; and one that loses 12 of 50 in legal, and gains 5 of 50 everywhere else. */
    let [before, after] = ['', ''];
    const scoresOf = (isRight: (category: string, n: number) => boolean): number[] =>
      CATEGORIES.flatMap((category) => Array.from({ length: OF_EACH }, (_, n) => Number(isRight(category, n))));
    const seed = (scores: readonly (number | null)[], start: Record<string, unknown> = {}) =>
      seedRun(lab(), { datasetId: dataset.id, datapointIds: dataset.datapointIds, samples: singles(scores), start });

    beforeAll(async () => {
      const kinds = CATEGORIES.flatMap((category) =>
        Array.from({ length: OF_EACH }, (_, n) => ({
          Generic: {
            input: `${category} ${n}`,
            metadata: { category, half: n % 2, doc: { page: n % 10 }, only: n === 0 ? 'x' : null },
          },
        })),
      );
      dataset = await lab().dataset(...kinds);
      before = await seed(scoresOf((category, n) => category === 'legal' || n >= 5));
      after = await seed(scoresOf((category, n) => category !== 'legal' || n >= 12));
    });

    type Answered = EvalStatistics & Omit<Problem, 'status'>;
    const ask = (query: string, run = after) => lab().api.get<Answered>(`/api/eval/${run}/statistics?${query}`);
    const read = async (query: string, run = after): Promise<EvalStatistics> => {
      const { status, body } = await ask(query, run);
      expect([query, status, body.detail]).toEqual([query, 200, undefined]);
      return body;
    };
    const set = (run: string, gates: readonly Gate[]) =>
      lab().api.post<EvalRunSummary & Omit<Problem, 'status'>>(`/api/eval/${run}/gates`, { gates });

    it('have the numbers of each group, and what became of it', async () => {
      const { groups, group_by, correction, comparison, score } = await read(
        `group_by=metadata.category&baseline=${before}`,
      );
      expect([group_by, correction, groups!.map(({ group }) => group['category'])]).toEqual([
        ...[['category'], { method: 'holm', tests: 6 }, CATEGORIES],
      ]);
      // 12 of 50 lost, twice the tail of twelve throws of a coin; the smallest of six p values.
      const [p, gained] = [2 * 0.5 ** 12, 2 * 0.5 ** 5];
      expect(groups![1]).toMatchObject({
        ...{ n: OF_EACH, mean: near(0.76), failed_samples: 0, pass_rate: { mean: near(0.76) } },
        se: near(Math.sqrt((0.76 * 0.24) / 49)),
        scorers: { External: { mean: near(0.76) } },
        comparison: {
          diff: near(-0.24),
          p_value: near(p),
          p_holm: near(6 * p),
          verdict: 'worse',
          worse: 12,
          pairs: 50,
        },
      });
      expect(groups![1]!.comparison!.scorers['External']).toMatchObject({ p_holm: near(6 * p) });
      for (const at of [0, 2, 3, 4, 5]) {
        expect(groups![at]!.comparison).toMatchObject({
          ...{ diff: near(0.1), p_value: near(gained), p_holm: near(5 * gained), verdict: 'no_difference', better: 5 },
        });
      }
      expect(comparison!.score).toMatchObject({ diff: near(13 / 300), verdict: 'better' });
      expect(groups!.reduce((sum, { n, mean }) => sum + n * mean!, 0) / 300).toBeCloseTo(score.mean!, 12);
      const plain = await read('');
      expect([plain.groups, plain.group_by, plain.correction]).toEqual([undefined, undefined, undefined]);
      const alone = await read('group_by=category');
      expect(alone.groups!.map((group) => [group.comparison, alone.correction])).toEqual(
        CATEGORIES.map(() => [null, undefined]),
      );
    });

    it('may be combined, and clustered within', async () => {
      const { groups, group_by } = await read(
        'group_by=half&group_by=metadata.category&group_by=half&cluster_by=metadata.doc',
      );
      expect([group_by, groups!.length]).toEqual([['half', 'category'], 12]);
      expect(groups![1]).toMatchObject({ group: { half: 0, category: 'legal' }, n: 25, clusters: 5 });
      const only = (await read('group_by=only')).groups!;
      expect(only.map(({ group, n }) => [group['only'], n])).toEqual([
        ['x', 6],
        [null, 294],
      ]);
    });

    it('are refused for a member that no datapoint has, and for too many groups', async () => {
      for (const [query, path, message] of [
        ['group_by=categroy', 'group_by', /names "categroy", which no datapoint has in its metadata; .*\(category\?\)/],
        ['group_by=half&group_by=nope', 'group_by', /names "nope", which no datapoint has/],
        ['cluster_by=document', 'cluster_by', /names "document", which no datapoint has/],
        ['group_by=metadata.', 'group_by[0]', /name of a member/],
        ['group_by=', 'group_by[0]', /name of a member/],
        [['a', 'b', 'c', 'd', 'e'].map((key) => `group_by=${key}`).join('&'), 'group_by', /4/],
      ] as const) {
        const { status, body } = await ask(query);
        expect([query, status, body.errors?.[0]]).toEqual([
          query,
          400,
          { path, message: expect.stringMatching(message) },
        ]);
      }
      const many = await lab().dataset(
        ...Array.from({ length: 201 }, (_, id) => ({ Generic: { input: 'q', metadata: { id } } })),
      );
      const run = await seedRun(lab(), {
        datasetId: many.id,
        datapointIds: many.datapointIds,
        samples: singles(many.datapointIds.map(() => 1)),
      });
      expect((await ask('group_by=id', run)).body.errors).toEqual([
        { path: 'group_by', message: 'there are more than 200 groups by id' },
      ]);
      expect((await ask('cluster_by=id', run)).status).toBe(200);
    });

    it('know of a member of datapoints that are not processed yet', async () => {
      const { id, datapointIds } = await lab().dataset('plain', { Generic: { input: 'q', metadata: { late: 1 } } });
      const run = await seedRun(lab(), {
        datasetId: id,
        datapointIds,
        samples: [[{ score: 1 }], [undefined]],
        status: 'running',
      });
      expect((await read('group_by=late', run)).groups!.map(({ group, n }) => [group['late'], n])).toEqual([[null, 1]]);
      expect((await ask('group_by=never', run)).status).toBe(400);
    });

    it('have the keys to choose from', async () => {
      const { body } = await lab().api.get<EvalMetadata>(`/api/eval/${after}/metadata`);
      expect(
        body.keys.map(({ key, datapoints, values, has_more }) => [key, datapoints, values.length, has_more]),
      ).toEqual([
        ...[
          ['category', 300, 6, false],
          ['half', 300, 2, false],
          ['doc', 300, 10, false],
          ['only', 6, 1, false],
        ],
      ]);
      expect((await lab().api.get<Problem>('/api/eval/nope/metadata')).body.code).toBe('eval_run_not_found');
      const foreign = await lab().api.send('GET', `/api/eval/${after}/metadata`, undefined, {
        'x-test-project': 'another',
      });
      expect(foreign.status).toBe(404);
    });

    it('are gated by group: a category that became worse where the whole became better does not hold', async () => {
      const regression = { metric: 'regression', baseline_run_id: before } as const;
      const rate = { metric: 'pass_rate', op: '>=', value: 0.8 } as const;
      const { status, body } = await set(after, [
        regression,
        { ...regression, by: 'category' },
        { ...rate, by: 'metadata.category' },
        { ...rate, group: { key: 'category', value: 'legal' } },
        { ...rate, scorer: 'stock' },
        { ...rate, scorer: 'legal.External', value: 0.5 },
        { ...regression, group: { value: 'stock' } },
        { metric: 'mean_ci_low', op: '>=', value: 0, cluster_by: 'doc' },
        { metric: 'failed_rate', scorer: 'legal', op: '<=', value: 0 },
      ]);
      expect([status, body.passed]).toEqual([200, false]);
      const legal = { key: 'category', value: 'legal' };
      expect(body.gates).toMatchObject([
        { actual: 'better', passed: true },
        { by: 'category', actual: 'worse', failing: [{ value: 'legal', actual: 'worse' }], passed: false },
        { by: 'category', actual: near(0.76), failing: [{ value: 'legal', actual: near(0.76) }], passed: false },
        { group: legal, scorer: null, actual: near(0.76), passed: false },
        { group: { key: 'category', value: 'stock' }, scorer: null, actual: 1, passed: true },
        { group: legal, scorer: 'External', actual: near(0.76), passed: true },
        { group: { key: 'category', value: 'stock' }, actual: 'no_difference', passed: true },
        { cluster_by: 'doc', passed: true },
        { group: legal, actual: 0, passed: true },
      ]);
      const clustered = await read('cluster_by=doc');
      expect(body.gates[7]!.actual).toBe(clustered.score.ci!.low);
      expect((await lab().api.get<EvalRunSummary>(`/api/eval/${after}?items=none`)).body.gates).toEqual(body.gates);
      await set(after, []);
    });

    it('are gated from the start of a run, at its end', async () => {
      const said = (input: string, category: string) => ({
        Generic: {
          input,
          expected_output: category === 'right' ? `You said: ${input}` : 'nothing',
          metadata: { category },
        },
      });
      const { id } = await lab().dataset(said('a', 'right'), said('b', 'right'), said('c', 'wrong'));
      const gates = [
        { metric: 'pass_rate', scorer: 'right', op: '>=', value: 1 },
        { metric: 'pass_rate', op: '>=', value: 0.5, by: 'category' },
      ];
      const run = await lab().run(id, { scoring: 'Contains', gates });
      expect(run).toMatchObject({
        status: 'completed',
        passed: false,
        gates: [
          { group: { key: 'category', value: 'right' }, actual: 1, passed: true },
          { by: 'category', actual: 0, failing: [{ value: 'wrong', actual: 0 }], passed: false },
        ],
      });
      for (const [gate, path] of [
        [{ by: 'topic' }, 'gates[0].by'],
        [{ cluster_by: 'topic' }, 'gates[0].cluster_by'],
        [{ group: { value: 'gone' } }, 'gates[0].group.value'],
        [{ group: { key: 'topic', value: 'right' } }, 'gates[0].group.key'],
        [{ scorer: 'gone' }, 'gates[0].scorer'],
        [{ by: 'category', group: { value: 'right' } }, 'gates[0].by'],
      ] as const) {
        const { status, body } = await lab().start(id, { gates: [{ metric: 'mean', op: '>=', value: 0, ...gate }] });
        expect([path, status, (body as unknown as Problem).errors?.map((each) => each.path)]).toEqual([
          path,
          400,
          [path],
        ]);
      }
      const cost = await lab().start(id, { gates: [{ metric: 'total_cost', op: '<=', value: 1, by: 'category' }] });
      expect((cost.body as unknown as Problem).errors).toEqual([
        { path: 'gates[0].by', message: 'total_cost is of the whole run' },
      ]);
      expect((await lab().start('nope', { gates })).status).toBe(404);
    });
  });
}
