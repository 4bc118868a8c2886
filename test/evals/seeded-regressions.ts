import { describe, expect, it } from '@jest/globals';
import type { AddedResults, EvalRunSummary, EvalStatistics, ResultItemResource } from '@spandrel/contract';
import { showsAll, type TestDatabase } from '../support/databases.ts';
import { random } from '../support/random.ts';
import type { EvalsLab } from './evals-lab.ts';

const DATAPOINTS = 60;
const REPEATS = 3;
/**
 * Pairs of runs that are equally good, and on a database that shows no more of it than another; 200 are in
 * `libs/evals/src/statistics/run-statistics.spec.ts`.
 */
const EQUAL_PAIRS = { all: 4, few: 1 };
const MILLION = 1_000_000;

/** What a comparison says, from results that are sent to the verdict. */
export function seededRegressions(lab: () => EvalsLab, database: TestDatabase['name']): void {
  const pairs = EQUAL_PAIRS[showsAll(database) ? 'all' : 'few'];

  describe('a comparison with a baseline', () => {
    it('calls a seeded regression worse, and runs that are as good no difference', async () => {
      const { api } = lab();
      const next = random(4);
      const chances = Array.from({ length: DATAPOINTS }, () => 0.2 + (0.8 * next(MILLION)) / MILLION);
      const { body: dataset } = await api.post<{ id: string }>('/api/datasets', { name: 'seeded' });
      const lines = chances.map((_, i) => JSON.stringify({ input: `question ${i}` }));
      await api.send('POST', `/api/datasets/${dataset.id}/import`, lines.join('\n'), {
        'content-type': 'application/x-ndjson',
      });
      /** A run in which each datapoint passes with its chance less `drop`. @returns its id. */
      const simulated = async (drop: number, gates: readonly object[] = []): Promise<string> => {
        const { body: run } = await api.post<{ id: string }>(`/api/datasets/${dataset.id}/eval`, {
          name: `less ${drop}`,
          execution: 'external',
          scoring: 'External',
          repeats: REPEATS,
          gates,
        });
        const { body: work } = await api.get<{ items: ResultItemResource[] }>(
          `/api/eval/${run.id}/items?status=pending&limit=${DATAPOINTS}`,
        );
        const results = work.items.flatMap(({ datapoint_id }, i) =>
          Array.from({ length: REPEATS }, (_, repeat) => ({
            datapoint_id,
            repeat,
            output: 'an answer',
            scores: { External: next(MILLION) / MILLION < chances[i]! - drop ? 1 : 0 },
          })),
        );
        const { body: added } = await api.post<AddedResults>(`/api/eval/${run.id}/results`, { results });
        expect(added).toEqual({ accepted: DATAPOINTS * REPEATS, rejected: [] });
        await lab().ended(run.id);
        return run.id;
      };
      const compare = async (run: string, baseline: string): Promise<EvalStatistics['comparison']> =>
        (await api.get<EvalStatistics>(`/api/eval/${run}/statistics?baseline=${baseline}`)).body.comparison;

      const worseThan = (baseline: string) => [{ metric: 'regression', baseline_run_id: baseline }];
      const gated = async (id: string) => (await api.get<EvalRunSummary>(`/api/eval/${id}?items=none`)).body;

      const baseline = await simulated(0);
      const regressed = await simulated(0.25, worseThan(baseline));
      expect(await compare(regressed, baseline)).toMatchObject({
        pairs: DATAPOINTS,
        score: { clusters: DATAPOINTS, test: 'paired_t', verdict: 'worse' },
      });
      expect(await gated(regressed)).toMatchObject({
        status: 'completed',
        passed: false,
        gates: [{ actual: 'worse', passed: false }],
      });

      const verdicts: string[] = [];
      for (let i = 0; i < pairs; i++) {
        const before = await simulated(0);
        const after = await simulated(0, worseThan(before));
        const { verdict } = (await compare(after, before))!.score;
        const passed = verdict !== 'worse';
        expect(await gated(after)).toMatchObject({ passed, gates: [{ actual: verdict, passed }] });
        verdicts.push(verdict);
      }
      // Each is a false alarm once in twenty: three of four are once in two thousand.
      expect(verdicts.filter((verdict) => verdict === 'no_difference').length).toBeGreaterThanOrEqual(pairs / 2);
    });
  });
}
