/** Runs over a part of their dataset: by metadata, source, ids, a limit or a sample. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type {
  AddedResults,
  ComparedItemList,
  DatapointKind,
  DatapointResource,
  EvalComparison,
  EvalItemList,
  EvalRunResource,
  EvalStatistics,
  Problem,
  StartedEval,
} from '@spandrel/contract';
import type { EvalsLab } from './evals-lab.ts';
import { ExternalLab } from './external-lab.ts';

const kindOf = (index: number): DatapointKind => ({
  Generic: {
    input: `question ${index}`,
    ...(index % 5 !== 0 && { expected_output: index % 3 === 0 ? `You said: question ${index}` : 'another' }),
    metadata: { split: index % 2 === 0 ? 'test' : 'train', level: index % 4, flag: index % 3 === 0, 'a.b': 'x' },
  },
});

/** The n of the ids that come first when they are sorted by the hash of seed and id, in the order of the dataset. */
const sampleOf = (ids: readonly string[], n: number, seed = 0): string[] =>
  ids
    .map((id) => [createHash('sha256').update(`${seed} ${id}`).digest('hex'), id] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .slice(0, n)
    .map(([, id]) => id)
    .toSorted();

export function subsetsOfRuns(lab: () => EvalsLab): void {
  describe('a run over a part of its dataset', () => {
    const N = 24;
    const made = () => lab().dataset(...Array.from({ length: N }, (_, index) => kindOf(index)));
    const idsOf = ({ result_items: items }: EvalRunResource): string[] => items.map(({ datapoint_id: id }) => id);

    it('takes what its filter says, and the list of datapoints the same', async () => {
      const { id, datapointIds } = await made();
      const listed = async (query: string): Promise<string[]> => {
        const { body } = await lab().api.get<{ datapoints: { id: string }[] }>(
          `/api/datasets/${id}/datapoints?${query}`,
        );
        return body.datapoints.map((one) => one.id);
      };
      const where = (holds: (index: number) => boolean): string[] => datapointIds.filter((_, index) => holds(index));
      const even = where((index) => index % 2 === 0);
      const some = [datapointIds[7]!, datapointIds[2]!];
      const cases: [filter: object, ids: string[], query?: string][] = [
        [{ metadata: { split: 'test' } }, even, 'metadata.split=test'],
        [
          { metadata: { split: 'test', flag: true } },
          where((i) => i % 6 === 0),
          'metadata.split=test&metadata.flag=true',
        ],
        [{ metadata: { level: 3 } }, where((i) => i % 4 === 3), 'metadata.level=3&preview=5'],
        // A text also is a number that is written so; a number is no text.
        [{ metadata: { level: '3' } }, where((i) => i % 4 === 3)],
        [{ metadata: { 'a.b': 'x' } }, datapointIds, 'metadata.a.b=x'],
        [{ source: ['manual'], limit: 3 }, datapointIds.slice(0, 3), 'source=manual&limit=3'],
        [{ ids: some }, some.toSorted(), `ids=${some[0]}&ids=${some[1]}`],
        [{ ids: some, metadata: { split: 'test' } }, [some[1]!], `ids=${some[0]}&ids=${some[1]}&metadata.split=test`],
        [{ sample: 5 }, sampleOf(datapointIds, 5), 'sample=5'],
        [{ sample: 5, seed: 7 }, sampleOf(datapointIds, 5, 7), 'sample=5&seed=7'],
        [
          { sample: 5, seed: 7, metadata: { split: 'test' } },
          sampleOf(even, 5, 7),
          'sample=5&seed=7&metadata.split=test',
        ],
        [{ sample: 5, limit: 2 }, sampleOf(datapointIds, 5).slice(0, 2)],
        [{ sample: 1_000 }, datapointIds, 'sample=1000'],
      ];
      expect(sampleOf(datapointIds, 5, 7)).not.toEqual(sampleOf(datapointIds, 5));
      for (const [filter, ids, query] of cases) {
        const { status, body } = await lab().start<StartedEval>(id, { filter, scoring: 'None' });
        expect([status, body.total, body.filter]).toEqual([201, ids.length, filter]);
        const run = await lab().ended(body.id);
        expect(run).toMatchObject({ status: 'completed', progress: ids.length, sample_total: ids.length });
        expect(idsOf(run)).toEqual(ids);
        if (query !== undefined) expect(await listed(query)).toEqual(ids);
      }
      const all = await lab().start<StartedEval>(id, { filter: {} });
      expect([all.body.total, all.body.filter]).toEqual([N, null]);
      await lab().ended(all.body.id);
    });

    it('refuses what takes nothing, and ids that there are not', async () => {
      const { id, datapointIds } = await made();
      const refused = async (filter: object): Promise<Problem> => {
        const { status, body } = await lab().start<Problem>(id, { filter });
        expect(status).toBe(400);
        return body;
      };
      for (const filter of [
        { metadata: { split: 'dev' } },
        { metadata: { level: '03' } },
        { source: ['file_upload'] },
      ]) {
        expect((await refused(filter)).code).toBe('nothing_to_evaluate');
      }
      expect(await refused({ metadata: { split: true } })).toMatchObject({ code: 'nothing_to_evaluate' });
      const { errors } = await refused({ ids: [datapointIds[0]!, 'none', 'no one'] });
      expect(errors!.map(({ path }) => path)).toEqual(['filter.ids[1]', 'filter.ids[2]']);
      for (const [filter, path] of [
        [{ limit: 0 }, 'filter.limit'],
        [{ sample: 1.5 }, 'filter.sample'],
        [{ source: ['nowhere'] }, 'filter.source[0]'],
        [{ metadata: { a: { b: 1 } } }, 'filter.metadata.a'],
      ] as const) {
        expect((await refused(filter)).errors!.map((one) => one.path)).toEqual([path]);
      }
      const unknown = await lab().start<Problem>('none', { filter: { limit: 1 } });
      expect([unknown.status, unknown.body.code]).toEqual([404, 'dataset_not_found']);
    });

    it('counts expected values among what it takes', async () => {
      const { id, datapointIds } = await made();
      const lacking = datapointIds.filter((_, index) => index % 5 === 0);
      const some = await lab().start<StartedEval>(id, { scoring: 'Contains', filter: { limit: 7 } });
      expect(some.body.warnings).toEqual([{ code: 'missing_expected', count: 2, total: 7 }]);
      const none = await lab().start<Problem>(id, { scoring: 'Contains', filter: { ids: lacking } });
      expect([none.status, none.body.code]).toEqual([400, 'nothing_to_score']);
      await lab().ended(some.body.id);
    });

    it('has the same answer to the same request, whatever became of the dataset', async () => {
      const { id, datapointIds } = await made();
      const body = { id: `chosen-${id}`, scoring: 'Contains', filter: { metadata: { split: 'test' }, limit: 4 } };
      const first = await lab().start<StartedEval>(id, body);
      await lab().ended(first.body.id);
      for (const datapointId of datapointIds.slice(0, 20)) {
        await lab().api.delete(`/api/datasets/${id}/datapoints/${datapointId}`);
      }
      const again = await lab().start<StartedEval>(id, body);
      expect([again.status, again.body.id, again.body.total]).toEqual([201, first.body.id, 4]);
      expect(again.body.warnings).toEqual(first.body.warnings);
      const other = await lab().start<Problem>(id, { ...body, filter: { limit: 4 } });
      expect([other.status, other.body.code]).toEqual([409, 'id_conflict']);
    });

    it('has items, statistics and comparisons of these datapoints alone, and is compared by those that both have', async () => {
      const { id, datapointIds } = await made();
      const [one, other] = [
        await lab().run(id, { scoring: 'Contains', repeats: 2, filter: { metadata: { split: 'test' } } }),
        await lab().run(id, { scoring: 'Contains', filter: { limit: 11 } }),
      ];
      const even = datapointIds.filter((_, index) => index % 2 === 0);
      const first = datapointIds.slice(0, 11);
      const both = first.filter((datapointId) => even.includes(datapointId));
      const expects = (datapointId: string): boolean => datapointIds.indexOf(datapointId) % 5 !== 0;
      const right = (datapointId: string): number => Number(datapointIds.indexOf(datapointId) % 3 === 0);
      const scored = even.filter(expects);
      const { body: statistics } = await lab().api.get<EvalStatistics>(
        `/api/eval/${one.id}/statistics?baseline=${other.id}`,
      );
      expect(statistics).toMatchObject({ datapoints: 12, samples: 24, pending_samples: 0 });
      expect(statistics.score.datapoints).toBe(scored.length);
      expect(statistics.score.mean).toBeCloseTo(scored.reduce((sum, each) => sum + right(each), 0) / scored.length, 12);
      expect(statistics.comparison).toMatchObject({
        pairs: both.filter(expects).length,
        changed: 0,
        unpaired_run: scored.length - both.filter(expects).length,
        unpaired_baseline: first.filter(expects).length - both.filter(expects).length,
      });
      const paged: string[] = [];
      for (let cursor = ''; ;) {
        const { body } = await lab().api.get<EvalItemList>(
          `/api/eval/${one.id}/items?limit=5&sort_order=desc${cursor}`,
        );
        paged.push(...body.items.map((item) => item.datapoint_id));
        if (body.next_cursor === null) break;
        cursor = `&cursor=${encodeURIComponent(body.next_cursor)}`;
      }
      expect(paged).toEqual(even.toReversed());
      expect(
        (await lab().api.get<EvalItemList>(`/api/eval/${one.id}/items?datapoint_id=${datapointIds[1]}`)).body.items,
      ).toEqual([]);
      const runs = `runs=${one.id},${other.id}`;
      const { body: compared } = await lab().api.get<EvalComparison>(`/api/datasets/${id}/compare?${runs}`);
      const union = datapointIds.filter((each) => even.includes(each) || first.includes(each));
      expect(compared.comparisons.map((each) => each.datapoint_id)).toEqual(union);
      const { body: list } = await lab().api.get<ComparedItemList>(
        `/api/datasets/${id}/compare/items?${runs}&order=position`,
      );
      expect(list.items.map((each) => each.datapoint_id)).toEqual(union);
      const has = list.items.map(({ results }) => results.map(({ status }) => status !== null));
      expect(has).toEqual(union.map((each) => [even.includes(each), first.includes(each)]));
      expect(list.summary).toMatchObject({
        compared: both.filter(expects).length,
        incomparable: union.length - both.filter(expects).length,
      });
      expect((await lab().api.delete(`/api/eval/${one.id}`)).status).toBe(200);
    });

    it('as an external one gives out, and takes results for, these datapoints alone', async () => {
      const { id, datapointIds } = await made();
      const external = new ExternalLab(lab());
      const { body: run } = await lab().api.post<StartedEval>(`/api/datasets/${id}/eval`, {
        ...{ name: 'external', execution: 'external', scoring: 'External', filter: { metadata: { level: 1 } } },
      });
      const wanted = datapointIds.filter((_, index) => index % 4 === 1);
      const work = await external.items(run.id, 'status=pending&include=kind');
      expect(work.map((item) => item.datapoint_id)).toEqual(wanted);
      const results = [...wanted, datapointIds[0]!].map((each) => ({
        datapoint_id: each,
        output: 'o',
        scores: { External: 1 },
      }));
      const { body: added } = await external.add<AddedResults>(run.id, results);
      expect(added).toMatchObject({ accepted: wanted.length, rejected: [{ code: 'datapoint_not_found' }] });
      expect(await lab().ended(run.id)).toMatchObject({ status: 'completed', progress: wanted.length, avg_score: 1 });
    });

    it('writes its results to these datapoints alone, and keeps them when others are edited', async () => {
      const { id, datapointIds } = await made();
      const { body } = await lab().start<StartedEval>(id, { filter: { metadata: { split: 'test' } } });
      const edited = { Generic: { input: 'edited', metadata: { split: 'train' } } };
      await lab().api.send('PUT', `/api/datasets/${id}/datapoints/${datapointIds[0]}`, { kind: edited });
      const run = await lab().ended(body.id);
      expect(idsOf(run)).toEqual(datapointIds.filter((_, index) => index % 2 === 0));
      expect(run.result_items[0]!.input).toBe('question 0');
      const { body: untouched } = await lab().api.get<DatapointResource>(
        `/api/datasets/${id}/datapoints/${datapointIds[1]}`,
      );
      expect(untouched.kind).toMatchObject({ Generic: { actual_output: null } });
    });
  });
}
