import { beforeAll, describe, expect, it } from '@jest/globals';
import type {
  ComparedItemList,
  DatapointRunResult,
  DatapointRunResultList,
  EvalItem,
  EvalItemList,
  EvalRunResource,
  EvalStatistics,
  Problem,
} from '@spandrel/contract';
import type { EvalsLab } from './evals-lab.ts';

/** Scores of tries by datapoint; `null`: the try failed. */
const TRIES: readonly (readonly (readonly [exact: number, tone: number] | null)[])[] = [
  [
    [1, 1],
    [1, 0.6],
  ],
  [
    [0, 1],
    [1, 0.9],
  ],
  [
    [1, 0.2],
    [1, 0.1],
  ],
  [null, [1, 1]],
  [null, null],
  // A score that differs from the pass score by rounding alone reaches it.
  [
    [1, 0.1 + 0.2 + 0.2],
    [1, 0.5 - 1e-13],
  ],
];

const SCORERS = [
  { name: 'exact', scoring: 'External', weight: 1 },
  { name: 'tone', scoring: 'External', weight: 2, pass_score: 0.5 },
];

/** Lists of items by what passes, tries side by side, and the results of one datapoint by run. */
export function resultsByPass(lab: () => EvalsLab): void {
  describe('results by what passes', () => {
    let dataset: string;
    let ids: string[];
    const runs: EvalRunResource[] = [];

    const run = async (body: object, scores: (of: readonly [number, number]) => object): Promise<EvalRunResource> => {
      const repeats = (body as { repeats?: number }).repeats ?? 1;
      const started = await lab().api.post<EvalRunResource>(`/api/datasets/${dataset}/eval`, {
        ...{ execution: 'external', ...body },
      });
      if (started.status !== 201) throw new Error(JSON.stringify(started.body));
      const results = ids.flatMap((datapoint_id, at) =>
        TRIES[at]!.slice(0, repeats).map((of, repeat) =>
          of === null
            ? { datapoint_id, repeat, error: 'lost' }
            : { datapoint_id, repeat, output: 'o', latency_ms: 10 * (at + 1), cost: 0.5, scores: scores(of) },
        ),
      );
      const path = `/api/eval/${started.body.id}`;
      expect((await lab().api.post<object>(`${path}/results`, { results })).status).toBe(200);
      await lab().api.post(`${path}/complete`);
      return lab().ended(started.body.id);
    };
    const both = ([exact, tone]: readonly [number, number]) => ({ exact, tone: { score: tone, reason: 'a, "b"' } });

    beforeAll(async () => {
      const made = await lab().dataset(...TRIES.map((_tries, at) => `question ${at}`));
      dataset = made.id;
      ids = made.datapointIds;
      runs.push(await run({ name: 'all', scorers: SCORERS, repeats: 2 }, both));
      runs.push(
        await run({ name: 'mean', scorers: SCORERS, repeats: 2, pass_mode: 'mean', pass_score: 0.7 }, both),
        await run({ name: 'once', scorers: SCORERS }, both),
        await run({ name: 'one', scorers: [SCORERS[0]!] }, ([exact]) => ({ exact })),
        await run({ name: 'uncounted', scorers: [{ ...SCORERS[1]!, weight: 0 }] }, ([, tone]) => ({ tone: tone })),
      );
    });

    const list = async (id: string, query: string): Promise<EvalItem[]> => {
      const items: EvalItem[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const path: string = `/api/eval/${id}/items?include=samples&limit=2&${query}${cursor && `&cursor=${cursor}`}`;
        const { body }: { body: EvalItemList } = await lab().api.get<EvalItemList>(path);
        items.push(...body.items);
        cursor = body.next_cursor;
      }
      return items;
    };
    const isFlaky = ({ samples }: EvalItem): boolean =>
      new Set((samples ?? []).flatMap(({ passed }) => passed ?? [])).size === 2;

    it('lists what passes, what does not, and what is flaky, as the items themselves say', async () => {
      const counts: Record<string, number[]> = {};
      for (const { id, name } of runs) {
        const all = await list(id, '');
        const expected = {
          'passed=true': all.filter(({ passed }) => passed === true),
          'passed=false': all.filter(({ passed }) => passed === false),
          'flaky=true': all.filter(isFlaky),
          'flaky=false': all.filter((item) => !isFlaky(item)),
          'flaky=true&passed=true': [],
          'passed=false&status=failed': [],
        };
        for (const [query, items] of Object.entries(expected)) {
          expect([name, query, await list(id, query)]).toEqual([name, query, items]);
          for (const sort of ['score', 'latency', 'cost']) {
            const sorted = await list(id, `${query}&sort_by=${sort}`);
            expect(sorted.map((item) => item.datapoint_id).toSorted()).toEqual(
              items.map((item) => item.datapoint_id).toSorted(),
            );
          }
        }
        counts[name] = [expected['passed=true'], expected['passed=false'], expected['flaky=true']].map(
          (items) => items.length,
        );
        const { score } = (await lab().api.get<EvalStatistics>(`/api/eval/${id}/statistics`)).body;
        if (name !== 'uncounted') {
          expect([name, score.always_passed, score.flaky_datapoints]).toEqual([
            name,
            counts[name]![0],
            counts[name]![2],
          ]);
        }
      }
      expect(counts).toEqual({
        all: [3, 2, 1],
        mean: [2, 3, 1],
        once: [2, 2, 0],
        one: [3, 1, 0],
        uncounted: [3, 1, 0],
      });
    });

    it('refuses a word that is neither', async () => {
      const { status, body } = await lab().api.get<Problem>(`/api/eval/${runs[0]!.id}/items?flaky=often&passed=1`);
      expect([status, body.errors?.map(({ path }) => path)]).toEqual([400, ['passed', 'flaky']]);
    });

    it('keeps with a run what its samples come to, also of a scorer that does not count', async () => {
      for (const run of runs) {
        const { body } = await lab().api.get<EvalStatistics>(`/api/eval/${run.id}/statistics`);
        const { total: _total, ...cost } = body.cost;
        const scorers = Object.entries(body.scorers).map(([name, { mean, se, ci, pass_rate }]) => [
          name,
          { mean, se, ci, pass_rate },
        ]);
        expect(run).toMatchObject({
          ...{ pass_rate: body.score.pass_rate, latency_ms: body.latency_ms, sample_cost: cost },
          scorer_scores: Object.fromEntries(scorers),
        });
      }
      const last = runs.at(-1)!;
      expect([last.avg_score, last.scorer_scores!['tone']!.mean]).toEqual([
        null,
        expect.closeTo((1 + 1 + 0.2 + 0.5) / 4),
      ]);
      const { latency_ms: latency } = runs[2]!;
      const of = [10, 20, 30, 60];
      const mean = of.reduce((sum, value) => sum + value, 0) / 4;
      const se = Math.sqrt(of.reduce((sum, value) => sum + (value - mean) ** 2, 0) / 3 / 4);
      // 3.1824 is the quantile of Student's t for three degrees of freedom.
      expect(latency!.ci!.high).toBeCloseTo(mean + 3.182446 * se, 3);
      expect(latency!.ci).toMatchObject({ low: expect.closeTo(Math.max(0, mean - 3.182446 * se), 3), method: 't' });
    });

    it('has the results of a datapoint by run, the newest first, page by page', async () => {
      const path = `/api/datasets/${dataset}/datapoints/${ids[1]}/results`;
      const all: DatapointRunResult[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const page: string = `${path}?limit=2${cursor && `&cursor=${cursor}`}`;
        const { body }: { body: DatapointRunResultList } = await lab().api.get<DatapointRunResultList>(page);
        expect(body.count).toBe(body.results.length);
        all.push(...body.results);
        cursor = body.next_cursor;
      }
      expect(all.map(({ run_name: name }) => name)).toEqual(['uncounted', 'one', 'once', 'mean', 'all']);
      expect(all.map(({ passed, worst_repeat: worst, worst_score: score }) => [passed, worst, score])).toEqual([
        [true, null, null],
        [false, null, null],
        [false, null, null],
        [false, 0, expect.closeTo(2 / 3)],
        [false, 0, expect.closeTo(2 / 3)],
      ]);
      expect(all.at(-1)).toEqual({
        ...{ run_id: runs[0]!.id, run_name: 'all', model: null, repeats: 2, status: 'completed', passed: false },
        ...{ score: expect.closeTo((2 / 3 + (1 + 2 * 0.9) / 3) / 2), worst_repeat: 0 },
        ...{ worst_score: expect.closeTo(2 / 3), latency_ms: 20, tokens: null, cost: 1, judge_cost: null },
        created_at: runs[0]!.created_at,
      });
      const missing = await lab().api.get<Problem>(`/api/datasets/${dataset}/datapoints/none/results`);
      expect([missing.status, missing.body.code]).toEqual([404, 'datapoint_not_found']);
      const other = await lab().api.get<Problem>(`/api/datasets/none/datapoints/${ids[1]}/results`);
      expect([other.status, other.body.code]).toEqual([404, 'dataset_not_found']);
    });

    it('has all tries of compared runs where they are asked for', async () => {
      const path = `/api/datasets/${dataset}/compare/items?runs=${runs[0]!.id},${runs[2]!.id}&order=position`;
      const { body } = await lab().api.get<ComparedItemList>(`${path}&include=samples`);
      const samples = runs[0]!.result_items.map((item) => item.samples);
      expect(body.items.map(({ results }) => results[0]!.samples)).toEqual(samples);
      expect(body.items[1]!.results[0]).toMatchObject({ worst_repeat: 0, passed: false });
      expect(body.items[1]!.results[1]).not.toHaveProperty('samples');
      const without = await lab().api.get<ComparedItemList>(path);
      expect(without.body.items[1]!.results[0]).not.toHaveProperty('samples');
    });
  });
}
