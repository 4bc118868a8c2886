import { beforeAll, describe, expect, it } from '@jest/globals';
import type {
  ComparedItem,
  ComparedItemList,
  ComparedOnly,
  EvalRunResource,
  EvalStatistics,
  Problem,
} from '@spandrel/contract';
import { sql } from '@spandrel/storage';
import type { EvalsLab } from './evals-lab.ts';

/** Scores by run and datapoint; `null` for none, `'failed'` for a failed item. */
const SCORES: readonly (readonly (number | null | 'failed')[])[] = [
  [1, 0.5, 0.25, 0, 1, null, 0.5, 'failed', 0.1, 1],
  [0, 0.75, 0.25, 1, 'failed', 0.5, 0.5, 1, 0.1 + 1e-13, 0.5],
  [0.5, 1, 0, 0.5, 0.9, 0.1, null, 'failed', 0.2, 0.25],
];

/**
 * The items of comparisons on both databases (docs/spec/comparison.md#items-of-a-comparison).
 * @param all whether every combination of runs is compared; two of them ask all that is asked of a database.
 */
export function comparedItems(lab: () => EvalsLab, all: boolean): void {
  describe('items of a comparison', () => {
    let dataset: string;
    let runs: EvalRunResource[];

    beforeAll(async () => {
      const { id } = await lab().dataset(...SCORES[0]!.map((_score, i) => `question ${i}`));
      dataset = id;
      const started: string[] = [];
      for (const scores of SCORES) started.push(await scored(await lab().run(id), scores));
      // A fourth run has one datapoint less and one more than the others.
      const [first] = (await lab().read(started[0]!)).result_items;
      await lab().api.delete(`/api/datasets/${id}/datapoints/${first!.datapoint_id}`);
      await lab().datapoint(id, { Generic: { input: 'late', expected_output: 'x' } });
      started.push(await scored(await lab().run(id), [...SCORES[1]!.slice(1), 0.4]));
      runs = await Promise.all(started.map((run) => lab().read(run)));
    });

    /** Gives the items of a run scores of our own. @returns its id. */
    async function scored(
      { id, result_items: items }: EvalRunResource,
      scores: readonly (number | null | 'failed')[],
    ): Promise<string> {
      await lab().server.storage.write(async (tx) => {
        for (const [i, score] of scores.entries()) {
          const [value, status] = score === 'failed' ? [null, 3] : [score, 2];
          await tx.run(
            sql`update eval_result set score = ${value}, status = ${status}
              where run_id = ${id} and datapoint_id = ${items[i]!.datapoint_id}`,
          );
        }
      });
      return id;
    }

    const path = (query: string): string => `/api/datasets/${dataset}/compare/items?${query}`;
    const page = async (query: string): Promise<ComparedItemList> => {
      const { status, body } = await lab().api.get<ComparedItemList>(path(query));
      expect([query, status]).toEqual([query, 200]);
      return body;
    };
    const pages = async (query: string, limit: number): Promise<ComparedItem[]> => {
      const items: ComparedItem[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const body: ComparedItemList = await page(`${query}&limit=${limit}${cursor && `&cursor=${cursor}`}`);
        expect(body.count).toBe(body.items.length);
        items.push(...body.items);
        cursor = body.next_cursor;
      }
      return items;
    };

    /** What a comparison must list, made of the runs as they are shown. */
    function expected(compared: readonly EvalRunResource[], baseline: EvalRunResource): ComparedItem[] {
      const ids = [...new Set(compared.flatMap((run) => run.result_items.map((item) => item.datapoint_id)))].toSorted();
      return ids.map((datapoint_id) => {
        const itemOf = (run: EvalRunResource) => run.result_items.find((item) => item.datapoint_id === datapoint_id);
        const base = itemOf(baseline)?.score ?? null;
        const deltas = compared
          .filter((run) => run !== baseline)
          .flatMap((run) => {
            const score = itemOf(run)?.score ?? null;
            return base === null || score === null ? [] : [score - base];
          });
        const [low, high] = [Math.min(...deltas), Math.max(...deltas)];
        const delta = deltas.length === 0 ? null : low < -1e-12 ? low : high > 1e-12 ? high : 0;
        const known = compared.flatMap((run) => itemOf(run) ?? [])[0]!;
        const results = compared.map((run) => {
          const item = itemOf(run);
          return {
            run_id: run.id,
            output: item?.output ?? null,
            score: item?.score ?? null,
            score_reason: null,
            status: item?.status ?? null,
            edited: item ? false : null,
            error: null,
            latency_ms: item?.latency_ms ?? null,
            tokens: item?.tokens ?? null,
            cost: item?.cost ?? null,
            judge_cost: item?.judge_cost ?? null,
            trace_id: null,
          };
        });
        return { datapoint_id, input: known.input, expected: known.expected, delta, results };
      });
    }

    const isListed: Record<ComparedOnly, (item: ComparedItem) => boolean> = {
      all: () => true,
      regressed: ({ delta }) => delta !== null && delta < 0,
      improved: ({ delta }) => delta !== null && delta > 0,
      changed: ({ delta }) => delta !== null && delta !== 0,
      failed: ({ results }) => results.some(({ status }) => status === 'failed'),
    };
    const rank = ({ delta }: ComparedItem): number => delta ?? Infinity;
    const regressionsFirst = (a: ComparedItem, b: ComparedItem): number =>
      rank(a) === rank(b) ? (a.datapoint_id < b.datapoint_id ? -1 : 1) : rank(a) - rank(b);

    const COMBINATIONS = all
      ? [[0], [0, 1], [1, 0], [0, 1, 2], [0, 3], [3, 2, 1, 0]]
      : [
          [1, 0],
          [3, 2, 1, 0],
        ];

    it.each(COMBINATIONS.map((places) => [places]))(
      'of runs %j are those with what their scores lost',
      async (places) => {
        const compared = places.map((place) => runs[place]!);
        const ids = compared.map(({ id }) => id).join(',');
        for (const baseline of [undefined, compared.at(-1)!]) {
          const all = expected(compared, baseline ?? compared[0]!);
          const query = `runs=${ids}${baseline ? `&baseline=${baseline.id}` : ''}`;
          for (const only of ['all', 'regressed', 'improved', 'changed', 'failed'] as const) {
            const listed = all.filter(isListed[only]);
            expect(await pages(`${query}&only=${only}&order=position`, 3)).toEqual(listed);
            for (const limit of places === COMBINATIONS.at(-1) ? [1, 1_000] : [4]) {
              const found = await pages(`${query}&only=${only}`, limit);
              expect([only, found]).toEqual([only, listed.toSorted(regressionsFirst)]);
            }
          }
          const deltas = all.flatMap(({ delta }) => delta ?? []);
          const counts = (['regressed', 'improved'] as const).map((only) => all.filter(isListed[only]).length);
          const { summary } = await page(`${query}&only=improved&limit=1`);
          expect(summary).toEqual({
            compared: deltas.length,
            regressed: counts[0],
            improved: counts[1],
            unchanged: deltas.length - counts[0]! - counts[1]!,
            incomparable: all.length - deltas.length,
            mean_delta:
              deltas.length === 0
                ? null
                : expect.closeTo(deltas.reduce((sum, one) => sum + one, 0) / deltas.length, 12),
          });
        }
      },
    );

    it('are found by their datapoint, with the sums of all', async () => {
      const query = `runs=${runs.map(({ id }) => id).join(',')}`;
      const all = await page(`${query}&limit=1000`);
      for (const item of all.items) {
        const found = await page(`${query}&datapoint_id=${item.datapoint_id}&only=failed`);
        expect(found).toEqual({ summary: all.summary, items: [item], count: 1, next_cursor: null });
      }
      const other = (await lab().read((await lab().run((await lab().dataset('x')).id)).id)).result_items[0]!;
      for (const none of ['nope', '%00', other.datapoint_id]) {
        expect([none, (await page(`${query}&datapoint_id=${none}`)).items]).toEqual([none, []]);
      }
    });

    it('are not compared where the datapoint was edited in between, as in statistics', async () => {
      const { id } = await lab().dataset('kept', 'edited');
      const before = await scored(await lab().run(id), [0.5, 1]);
      const edited = (await lab().read(before)).result_items[1]!.datapoint_id;
      const kind = { Generic: { input: 'edited twice', expected_output: 'x' } };
      expect((await lab().api.send('PUT', `/api/datasets/${id}/datapoints/${edited}`, { kind })).status).toBe(200);
      const after = await scored(await lab().run(id), [0.75, 0]);
      for (const [runs, by] of [
        [[before, after], 0.25],
        [[after, before], -0.25],
      ] as const) {
        const { body } = await lab().api.get<ComparedItemList>(`/api/datasets/${id}/compare/items?runs=${runs.join()}`);
        expect(body.items.map(({ delta, results }) => [delta, ...results.map((result) => result.edited)])).toEqual([
          [by, false, false],
          [null, false, true],
        ]);
        expect(body.summary).toMatchObject({ compared: 1, incomparable: 1, mean_delta: by });
        const { body: statistics } = await lab().api.get<EvalStatistics>(
          `/api/eval/${runs[1]}/statistics?baseline=${runs[0]}`,
        );
        expect(statistics.comparison).toMatchObject({ pairs: 1, changed: 1, score: { diff: by } });
      }
    });

    it('refuse what they do not know, and cursors of another order', async () => {
      const [first, second] = runs.map(({ id }) => id);
      const other = await lab().run((await lab().dataset('x')).id);
      const { next_cursor: cursor } = await page(`runs=${first},${second}&limit=1`);
      for (const [query, code] of [
        ['', 'validation_failed'],
        [`runs=${first},${second}&baseline=${runs[2]!.id}`, 'validation_failed'],
        [`runs=${first},${other.id}`, 'validation_failed'],
        [`runs=${first}&only=worse`, 'validation_failed'],
        [`runs=${first},nope`, 'eval_run_not_found'],
        [`runs=${first},${second}&order=position&cursor=${cursor}`, 'invalid_cursor'],
        [`runs=${first},${second}&baseline=${second}&cursor=${cursor}`, 'invalid_cursor'],
      ]) {
        expect([query, (await lab().api.get<Problem>(path(query!))).body.code]).toEqual([query, code]);
      }
      const nowhere = await lab().api.get<Problem>(`/api/datasets/nope/compare/items?runs=${first}`);
      expect(nowhere.body.code).toBe('dataset_not_found');
    });
  });
}
