import type { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import {
  isStorableText,
  jsonTextInPieces,
  type EvalComparison,
  type CompareItems,
  type ComparedItem,
  type ComparedItemList,
  type ComparedOnly,
} from '@spandrel/contract';
import { DatasetStore, DatasetSnapshots, type Snapshot, type SnapshotDatapoint } from '@spandrel/datasets';
import { itemTexts, streamSlices } from '@spandrel/http';
import { invalidRequest, inTurns, type Scope } from '@spandrel/kernel';
import {
  startOf,
  type Part,
  type Position,
  type Sorting,
  anyOf,
  behind,
  integer,
  nullable,
  number,
  orderBy,
  joinSql,
  positionShape,
  rawSql,
  shapeOf,
  sql,
  Storage,
  text,
  type Sql,
} from '@spandrel/storage';
import { expectedText, readInputAndExpected, ItemView } from './eval-item.js';
import { EvalResultStore, EvalSampleStore } from './eval-result.store.js';
import type { EvalRunRow, EvalResultRow, EvalSampleRow } from './eval-run.entity.js';
import {
  evalRunNotFound,
  averageScore,
  callCost,
  judgeCost,
  onlyUnweighted,
  snapshotOf,
  totalCost,
  RESULT_STATUS,
} from './eval-run.js';
import { EvalRunStore } from './eval-run.store.js';
import { SubmissionStore } from './external/submission.store.js';
import { listItems, walkIds } from './read-run.js';
import { selectShownScore } from './statistics/sample-scores.store.js';

interface RunsWithBaseline {
  runs: readonly EvalRunRow[];
  baselineId: string;
  /** For each run: the datapoints that were edited between it and the baseline, and are compared with nothing. */
  edited: ReadonlyMap<string, ReadonlySet<string>>;
}

const SUMMARY = shapeOf({
  compared: integer(),
  regressed: integer(),
  improved: integer(),
  meanDelta: nullable(number()),
});
const DELTA = shapeOf({ id: text(), delta: number() });

/** Datapoints that are listed, from `delta d`. */
const ONLY: Readonly<Record<ComparedOnly, Sql>> = {
  all: rawSql('1 = 1'),
  regressed: rawSql('d.delta < 0'),
  improved: rawSql('d.delta > 0'),
  changed: rawSql('d.delta <> 0'),
  failed: rawSql('d.failed = 1'),
};

/** How the datapoints of a comparison are sorted: by what their scores lost, or as they stand in the dataset. */
const comparisonSorting = (order: 'regression' | 'position', baselineId: string): Sorting => ({
  list: `compared-items:${order}:${baselineId}`,
  ...(order === 'regression' ? { column: 'd.delta', type: 'number' } : { column: 'd.id', type: 'text' }),
  idColumn: 'd.id',
  nullable: order === 'regression',
  order: 'asc',
});

/** What scores of datapoints lost and won between runs (docs/spec/comparison.md#delta-of-a-datapoint). */
@Injectable()
export class ScoreDeltaStore {
  constructor(private readonly storage: Storage) {}

  /** Datapoints with a result in any of the runs, in order: up to `count` of a part behind a position. */
  positions(
    scope: Scope,
    runs: RunsWithBaseline,
    only: ComparedOnly,
    sorting: Sorting,
    part: Part,
    from: Position | undefined,
    count: number,
  ): Promise<Position[]> {
    return this.storage.readLong(
      positionShape(sorting).query`select ${rawSql(sorting.column)} as value, d.id as id from (${deltas(scope, runs)}) d
        where ${ONLY[only]} and ${behind(sorting, part, from)} order by ${orderBy(sorting, part)} limit ${count}`,
      scope,
    );
  }

  /** The deltas of some datapoints, by their ids; those that cannot be compared are left out. */
  async some(scope: Scope, runs: RunsWithBaseline, ids: readonly string[]): Promise<Map<string, number>> {
    const rows = await this.storage.readLong(
      DELTA.query`select d.id as id, d.delta as delta
        from (${deltas(scope, runs, anyOf('e.datapoint_id', ids))}) d where d.delta is not null`,
      scope,
    );
    return new Map(rows.map(({ id, delta }) => [id, delta]));
  }

  /** What all datapoints come to. @param total how many any of the runs has. */
  async summary(scope: Scope, runs: RunsWithBaseline, total: number): Promise<ComparedItemList['summary']> {
    const [row] = await this.storage.readLong(
      SUMMARY.query`select count(d.delta) as compared, coalesce(sum(case when d.delta < 0 then 1 else 0 end), 0) as regressed,
          coalesce(sum(case when d.delta > 0 then 1 else 0 end), 0) as improved, avg(d.delta) as "meanDelta"
        from (${deltas(scope, runs)}) d`,
      scope,
    );
    const { compared, regressed, improved, meanDelta } = row!;
    return {
      compared,
      regressed,
      improved,
      unchanged: compared - regressed - improved,
      incomparable: Math.max(0, total - compared),
      mean_delta: meanDelta,
    };
  }
}

/**
 * A select of `id, delta, failed` for each datapoint with a result; differences below 1e-12 are none. It passes the results once:
 * over two runs of 100,000 items a join of each result with that of the baseline took twice as long.
 */
function deltas(
  { projectId }: Scope,
  { runs, baselineId, edited }: RunsWithBaseline,
  more: Sql = rawSql('1 = 1'),
): Sql {
  const cases = runs.flatMap((run) => {
    const ids = edited.get(run.id);
    const isOfRun = sql`when e.run_id = ${run.id}`;
    return [
      ...(ids ? [sql`${isOfRun} and ${anyOf('e.datapoint_id', [...ids])} then null`] : []),
      ...(onlyUnweighted(run) === null ? [] : [sql`${isOfRun} then ${selectShownScore(run, 'e')}`]),
    ];
  });
  const score = cases.length === 0 ? rawSql('e.score') : sql`case ${joinSql(cases, ' ')} else e.score end`;
  return sql`select id, failed, case when low - base < -0.000000000001 then low - base
      when high - base > 0.000000000001 then high - base
      when low - base is not null then cast(0 as double precision) end as delta
    from (
      select e.datapoint_id as id, max(case when e.run_id = ${baselineId} then ${score} end) as base,
        min(case when e.run_id <> ${baselineId} then ${score} end) as low,
        max(case when e.run_id <> ${baselineId} then ${score} end) as high,
        max(case when e.status = ${RESULT_STATUS.failed} then 1 else 0 end) as failed
      from eval_result e where e.project_id = ${projectId} and ${anyOf(
        'e.run_id',
        runs.map(({ id }) => id),
      )} and ${more}
      group by e.datapoint_id
    ) scores`;
}

const SLICE = 200;

type ComparedDatapoint = EvalComparison['comparisons'][number];

interface ComparedRuns {
  scope: Scope;
  runs: readonly EvalRunRow[];
  /** What the runs see of the dataset, each once, in their order. */
  snapshots: readonly Snapshot[];
}

interface Comparison extends ComparedRuns {
  ids: RunsWithBaseline;
  query: CompareItems;
  sorting: Sorting;
}

/** Runs of one dataset side by side (docs/spec/comparison.md). */
@Injectable()
export class CompareRuns {
  constructor(
    private readonly datasets: DatasetStore,
    private readonly runs: EvalRunStore,
    private readonly deltas: ScoreDeltaStore,
    private readonly submissions: SubmissionStore,
    private readonly results: EvalResultStore,
    private readonly samples: EvalSampleStore,
    private readonly snapshots: DatasetSnapshots,
  ) {}

  /**
   * @param runIds one to four, in the order of the answer.
   * @returns the JSON of the comparison, written slice by slice.
   * @throws NotFound for the dataset or a run; Invalid when a run is of another dataset.
   */
  async compare(scope: Scope, datasetId: string, runIds: readonly string[]): Promise<Readable> {
    const compared = await this.find(scope, datasetId, runIds);
    const shown: EvalComparison['runs'] = compared.runs.map((run) => ({
      id: run.id,
      name: run.name,
      avg_score: averageScore(run),
      total_cost: totalCost(run),
      call_cost: callCost(run),
      judge_cost: judgeCost(run),
      unpriced_count: run.unpricedCount,
    }));
    return streamSlices(this.slices(compared), {
      head: `{"dataset_id":${JSON.stringify(datasetId)},"runs":${JSON.stringify(shown)},"comparisons":[`,
      between: ',',
      tail: () => ']}',
    });
  }

  private async *slices(compared: ComparedRuns): AsyncGenerator<Iterable<string>> {
    for (let after: string | undefined; ;) {
      const { ids, datapoints, resultsByRun } = await this.read(compared, await this.idsAfter(compared, after, SLICE));
      if (ids.length === 0) return;
      const views = compared.runs.map((run) => new ItemView(run, true));
      const texts: string[] = [];
      for (const datapoint of ids.flatMap((id) => datapoints.get(id) ?? [])) {
        const results = compared.runs.map(({ id: run_id }, at) => {
          const result = resultsByRun.get(run_id)?.get(datapoint.id);
          const { output, score, latency_ms, trace_id } = views[at]!.outcome(datapoint.id, result);
          return { run_id, output, score, latency_ms, trace_id };
        });
        const shown: ComparedDatapoint = { ...comparedDatapoint(datapoint), results };
        texts.push(await inTurns(jsonTextInPieces(shown)));
      }
      if (texts.length > 0) yield itemTexts(texts, (index) => (index === 0 ? '' : ','));
      after = ids.at(-1);
    }
  }

  /**
   * `GET /api/datasets/:id/compare/items` (docs/spec/comparison.md#items-of-a-comparison).
   * @throws NotFound for the dataset or a run; Invalid for a run of another dataset, a strange baseline, a cursor.
   */
  async listItems(scope: Scope, datasetId: string, query: CompareItems): Promise<ComparedItemList> {
    const runIds = [...new Set(query.runs)];
    const compared = await this.find(scope, datasetId, runIds);
    const baselineId = query.baseline ?? runIds[0]!;
    if (!runIds.includes(baselineId)) throw invalidRequest([{ path: 'baseline', message: 'must be one of runs' }]);
    const sorting = comparisonSorting(query.order, baselineId);
    const { runs } = compared;
    const edited = await this.findEdited(
      scope,
      runs,
      runs.find(({ id }) => id === baselineId)!,
    );
    const comparison: Comparison = { ...compared, ids: { runs, baselineId, edited }, query, sorting };
    const from = startOf(sorting, query.cursor);
    const total = await this.snapshots.countOfAny(scope, compared.snapshots);
    const summary = await this.deltas.summary(scope, comparison.ids, total);
    const hasIncomparable = summary.incomparable > 0;
    const page = await listItems(
      query,
      sorting,
      () => from,
      (part, start, count) => this.positions(comparison, hasIncomparable, part, start, count),
      (ids) => this.load(comparison, ids),
    );
    return { summary, ...page };
  }

  private async positions(
    comparison: Comparison,
    hasIncomparable: boolean,
    part: Part,
    from: Position | undefined,
    count: number,
  ): Promise<Position[]> {
    const { scope, ids: runs, query, sorting } = comparison;
    if (query.only !== 'all' || (sorting.nullable && part === 'valued')) {
      return this.deltas.positions(scope, runs, query.only, sorting, part, from, count);
    }
    if (sorting.nullable && !hasIncomparable) return [];
    return walkIds(
      (afterId, limit) => this.idsAfter(comparison, afterId, limit),
      async (ids) => {
        const compared = sorting.nullable ? await this.deltas.some(scope, runs, ids) : new Map();
        return (id) => !compared.has(id);
      },
      (id) => (sorting.nullable ? null : id),
      from,
      count,
    );
  }

  private idsAfter({ scope, snapshots }: ComparedRuns, afterId: string | undefined, limit: number): Promise<string[]> {
    return this.snapshots.idsOfAny(scope, snapshots, { afterId, order: 'asc', limit });
  }

  private async load(
    comparison: Comparison,
    wanted: readonly string[],
  ): Promise<{ items: ComparedItem[]; read: number }> {
    if (wanted.length === 0) return { items: [], read: 0 };
    const { scope, runs, snapshots } = comparison;
    const { ids: read, datapoints, resultsByRun } = await this.read(comparison, wanted);
    const { ids, samplesByRun } = await this.readSamples(comparison, read);
    const present = new Map<string, ReadonlySet<string>>();
    for (const snapshot of snapshots) {
      present.set(toKey(snapshot), await this.snapshots.present(scope, snapshot, ids));
    }
    const deltas = await this.deltas.some(scope, comparison.ids, ids);
    const views = new Map(runs.map((run) => [run.id, new ItemView(run, true)]));
    for (const run of runs) views.get(run.id)!.addWaiting(await this.submissions.among(scope, run, ids));
    const items = ids.flatMap((id): ComparedItem[] => {
      const datapoint = datapoints.get(id);
      if (!datapoint) return [];
      const results = runs.map((run) => {
        const has = present.get(toKey(snapshotOf(run)))!.has(id);
        const view = views.get(run.id)!;
        const isEdited = comparison.ids.edited.get(run.id)?.has(id) ?? false;
        const outcome = comparedOutcome(run.id, has, isEdited, view.outcome(id, resultsByRun.get(run.id)?.get(id)));
        const samples = has ? samplesByRun.get(run.id) : undefined;
        return samples ? { ...outcome, ...view.tries(id, samples.get(id) ?? []) } : outcome;
      });
      return [{ ...comparedDatapoint(datapoint), delta: deltas.get(id) ?? null, results }];
    });
    return { items, read: ids.length };
  }

  /**
   * Datapoints as the first of the snapshots that has each knows it, and results by run and datapoint.
   * @returns those of `ids`: the first of the wanted ones, as many as fit into memory. A datapoint is missing that went meanwhile.
   */
  private async read({ scope, runs, snapshots }: ComparedRuns, wanted: readonly string[]) {
    let ids = wanted;
    const datapoints = new Map<string, SnapshotDatapoint>();
    for (const snapshot of snapshots) {
      const missing = ids.filter((id) => !datapoints.has(id));
      if (missing.length === 0) break;
      const { datapoints: found, read } = await this.snapshots.some(scope, snapshot, missing);
      for (const [id, datapoint] of found) datapoints.set(id, datapoint);
      const next = missing[read];
      if (next !== undefined) ids = ids.slice(0, ids.indexOf(next));
    }
    const resultsByRun = new Map<string, Map<string, EvalResultRow>>();
    for (const { id } of runs) {
      const { results, read } = await this.results.some(scope, id, ids);
      resultsByRun.set(id, results);
      ids = ids.slice(0, read);
    }
    return { ids, datapoints, resultsByRun };
  }

  /** Tries of runs that have several, where they were asked for; and the first of the ids, as many as fit into memory. */
  private async readSamples({ scope, runs, query }: Comparison, wanted: readonly string[]) {
    let ids = wanted;
    const samplesByRun = new Map<string, Map<string, EvalSampleRow[]>>();
    for (const run of runs.filter(({ repeats }) => query.include === 'samples' && repeats > 1)) {
      const { samples, read } = await this.samples.some(scope, run, ids);
      samplesByRun.set(run.id, samples);
      ids = ids.slice(0, read);
    }
    return { ids, samplesByRun };
  }

  /** The datapoints that were edited between each run and the baseline; runs without such are left out. */
  private async findEdited(scope: Scope, runs: readonly EvalRunRow[], baseline: EvalRunRow) {
    const edited = new Map<string, ReadonlySet<string>>();
    for (const [version, ofVersion] of Map.groupBy(runs, ({ datasetVersion }) => datasetVersion)) {
      const ids = await this.snapshots.changed(scope, baseline.datasetId, [version, baseline.datasetVersion]);
      if (ids.size > 0) for (const { id } of ofVersion) edited.set(id, ids);
    }
    return edited;
  }

  private async find(scope: Scope, datasetId: string, runIds: readonly string[]): Promise<ComparedRuns> {
    await this.datasets.get(scope, datasetId);
    const found = await this.runs.findAll(scope, runIds.filter(isStorableText));
    const runs = runIds.map((id) => {
      const run = found.find((candidate) => candidate.id === id);
      if (!run) throw evalRunNotFound();
      return run;
    });
    if (runs.some((run) => run.datasetId !== datasetId)) {
      throw invalidRequest([{ path: 'runs', message: 'must be runs of this dataset' }]);
    }
    const snapshots = [...new Map(runs.map(snapshotOf).map((snapshot) => [toKey(snapshot), snapshot])).values()];
    return { scope, runs, snapshots };
  }
}

const toKey = ({ version, selection }: Snapshot): string => `${version} ${selection ?? ''}`;

function comparedDatapoint({ id, kind }: SnapshotDatapoint): Omit<ComparedDatapoint, 'results'> {
  const { input, expected } = readInputAndExpected(kind);
  return { datapoint_id: id, input, expected: expectedText(expected) };
}

/** What became of a datapoint in a run. @param has whether the run has the datapoint. @param isEdited other than the baseline has it. */
function comparedOutcome(
  runId: string,
  has: boolean,
  isEdited: boolean,
  outcome: ReturnType<ItemView['outcome']>,
): ComparedItem['results'][number] {
  const { output, score, score_reason, status, error, latency_ms, tokens, cost, judge_cost, trace_id } = outcome;
  return {
    ...{
      run_id: runId,
      output,
      score,
      score_reason,
      status: has ? status : null,
      edited: has ? isEdited : null,
      error,
    },
    ...{ latency_ms, tokens, cost, judge_cost, trace_id },
  };
}
