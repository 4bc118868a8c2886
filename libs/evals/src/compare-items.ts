import { Injectable } from '@nestjs/common';
import {
  isStorableText,
  type CompareItems as CompareItemsQuery,
  type ComparedItem,
  type ComparedItemList,
} from '@spandrel/contract';
import { DatasetSnapshots, type SnapshotDatapoint } from '@spandrel/datasets';
import { invalidRequest, type Scope } from '@spandrel/kernel';
import {
  encodeCursor,
  fillPage,
  startOf,
  type LongReadOptions,
  type Part,
  type Position,
  type Sorting,
} from '@spandrel/storage';
import { ComparedRuns, versionsOf } from './compared-runs.js';
import { datapointFacts, expectedText } from './datapoint-facts.js';
import { EvalResultStore } from './eval-result.store.js';
import type { EvalResultRow, EvalRunRow } from './eval-run.entity.js';
import { SubmissionStore } from './external/submission.store.js';
import { ItemView } from './item-resource.js';
import { comparisonSorting, ScoreDeltaStore, type RunsWithBaseline } from './score-delta.store.js';
import { walkIds } from './walk-ids.js';

/** A comparison that is asked for. */
interface Comparison {
  scope: Scope;
  datasetId: string;
  runs: readonly EvalRunRow[];
  versions: readonly number[];
  ids: RunsWithBaseline;
  query: CompareItemsQuery;
  sorting: Sorting;
  options: LongReadOptions;
}

/** `GET /api/datasets/:id/compare/items` (docs/spec/comparison.md#items-of-a-comparison). */
@Injectable()
export class CompareItems {
  constructor(
    private readonly compared: ComparedRuns,
    private readonly deltas: ScoreDeltaStore,
    private readonly results: EvalResultStore,
    private readonly submissions: SubmissionStore,
    private readonly snapshots: DatasetSnapshots,
  ) {}

  /** @throws NotFound for the dataset or a run; Invalid for a run of another dataset, a strange baseline, a cursor. */
  async execute(
    scope: Scope,
    datasetId: string,
    query: CompareItemsQuery,
    options: LongReadOptions,
  ): Promise<ComparedItemList> {
    const runIds = [...new Set(query.runs)];
    const runs = await this.compared.find(scope, datasetId, runIds);
    const baselineId = query.baseline ?? runIds[0]!;
    if (!runIds.includes(baselineId)) throw invalidRequest([{ path: 'baseline', message: 'must be one of runs' }]);
    const comparison: Comparison = {
      ...{ scope, datasetId, runs, query, options },
      versions: versionsOf(runs),
      ids: { runIds, baselineId },
      sorting: comparisonSorting(query.order, baselineId),
    };
    const from = startOf(comparison.sorting, query.cursor);
    const total = await this.snapshots.countOfAny(scope, datasetId, comparison.versions, options);
    const summary = await this.deltas.summary(scope, comparison.ids, total, options);
    if (query.datapoint_id !== undefined) {
      const { items } = await this.load(comparison, [query.datapoint_id].filter(isStorableText));
      return { summary, items, count: items.length, next_cursor: null };
    }
    const hasIncomparable = summary.incomparable > 0;
    const { items: positions, nextCursor } = await fillPage(
      comparison.sorting,
      from,
      query.limit,
      async (part, start, count) => ({ rows: await this.positions(comparison, hasIncomparable, part, start, count) }),
      (position) => position,
    );
    const { items, read } = await this.load(
      comparison,
      positions.map(({ id }) => id),
    );
    // What did not fit into memory begins the next page.
    const last = positions[read - 1];
    const next = read < positions.length && last ? encodeCursor(comparison.sorting.list, last) : nextCursor;
    return { summary, items, count: items.length, next_cursor: next };
  }

  private async positions(
    comparison: Comparison,
    hasIncomparable: boolean,
    part: Part,
    from: Position | undefined,
    count: number,
  ): Promise<Position[]> {
    const { scope, ids: runs, query, sorting, options } = comparison;
    if (query.only !== 'all' || (sorting.nullable && part === 'valued')) {
      return this.deltas.positions(scope, runs, query.only, sorting, part, from, count, options);
    }
    if (sorting.nullable && !hasIncomparable) return [];
    return walkIds(
      (afterId, limit) => this.idsAfter(comparison, afterId, limit),
      async (ids) => {
        const compared = sorting.nullable ? await this.deltas.some(scope, runs, ids, options) : new Map();
        return (id) => !compared.has(id);
      },
      (id) => (sorting.nullable ? null : id),
      from,
      count,
    );
  }

  private idsAfter(
    { scope, datasetId, versions, options }: Comparison,
    afterId: string | undefined,
    limit: number,
  ): Promise<string[]> {
    return this.snapshots.idsOfAny(scope, datasetId, versions, { afterId, order: 'asc', limit }, options);
  }

  /** @returns the items of the first of the ids, and how many of them were looked at. */
  private async load(
    comparison: Comparison,
    wanted: readonly string[],
  ): Promise<{ items: ComparedItem[]; read: number }> {
    const { scope, datasetId, runs, versions, ids: compared, options } = comparison;
    if (wanted.length === 0) return { items: [], read: 0 };
    let ids = wanted;
    const datapoints = new Map<string, SnapshotDatapoint>();
    const present = new Map<number, ReadonlySet<string>>();
    for (const version of versions) {
      const snapshot = { datasetId, version };
      present.set(version, await this.snapshots.present(scope, snapshot, ids, options));
      const missing = ids.filter((id) => !datapoints.has(id));
      const { datapoints: found, read } = await this.snapshots.some(scope, snapshot, missing, options);
      for (const [id, datapoint] of found) datapoints.set(id, datapoint);
      const next = missing[read];
      if (next !== undefined) ids = ids.slice(0, ids.indexOf(next));
    }
    const resultsOf = new Map<string, Map<string, EvalResultRow>>();
    for (const { id } of runs) {
      const { results, read } = await this.results.some(scope, id, ids, options);
      resultsOf.set(id, results);
      ids = ids.slice(0, read);
    }
    const deltas = await this.deltas.some(scope, compared, ids, options);
    const views = new Map(runs.map((run) => [run.id, new ItemView(run)]));
    for (const run of runs) views.get(run.id)!.addWaiting(await this.submissions.among(scope, run, ids, options));
    const items = ids.flatMap((id): ComparedItem[] => {
      const datapoint = datapoints.get(id);
      if (!datapoint) return [];
      const { input, expected } = datapointFacts(datapoint.kind, null);
      return [
        {
          datapoint_id: id,
          input,
          expected: expectedText(expected),
          delta: deltas.get(id) ?? null,
          results: runs.map((run) => {
            const has = present.get(run.datasetVersion)!.has(id);
            const outcome = views.get(run.id)!.outcome(id, resultsOf.get(run.id)?.get(id));
            return comparedResult(run.id, has, outcome);
          }),
        },
      ];
    });
    return { items, read: ids.length };
  }
}

/** What became of a datapoint in a run. @param has whether the run has the datapoint. */
function comparedResult(
  runId: string,
  has: boolean,
  outcome: ReturnType<ItemView['outcome']>,
): ComparedItem['results'][number] {
  const { output, score, score_reason, status, error, latency_ms, tokens, cost, trace_id } = outcome;
  return {
    ...{ run_id: runId, output, score, score_reason, status: has ? status : null, error },
    ...{ latency_ms, tokens, cost, trace_id },
  };
}
