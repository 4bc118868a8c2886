import { Injectable } from '@nestjs/common';
import { isStorableText, type EvalItem, type EvalItemList, type ListEvalItems } from '@spandrel/contract';
import { DatasetSnapshots } from '@spandrel/datasets';
import type { Scope } from '@spandrel/kernel';
import {
  encodeCursor,
  fillPage,
  startOf,
  type LongReadOptions,
  type Part,
  type Position,
  type Sorting,
} from '@spandrel/storage';
import { EvalResultStore } from './eval-result.store.js';
import type { EvalRunRow } from './eval-run.entity.js';
import { EvalRunStore } from './eval-run.store.js';
import { ItemOrderStore, itemSorting, type ProcessedFilters } from './item-order.store.js';
import { hasWaiting, SubmissionStore } from './external/submission.store.js';
import { evalRunNotFound } from './not-found.js';
import { ItemView } from './item-resource.js';
import { EvalSampleStore } from './eval-sample.store.js';
import { runningNow } from './running-items.js';
import { walkIds } from './walk-ids.js';

/** A list of items that is asked for. */
interface ItemRequest {
  scope: Scope;
  run: EvalRunRow;
  query: ListEvalItems;
  sorting: Sorting;
  running: ReadonlySet<string>;
  options: LongReadOptions;
}

/** `GET /api/eval/:run_id/items` (docs/spec/evaluations.md#listing-result-items). */
@Injectable()
export class ListItems {
  constructor(
    private readonly runs: EvalRunStore,
    private readonly results: EvalResultStore,
    private readonly samples: EvalSampleStore,
    private readonly orders: ItemOrderStore,
    private readonly submissions: SubmissionStore,
    private readonly snapshots: DatasetSnapshots,
  ) {}

  /** @throws NotFound; Invalid `invalid_cursor`. */
  async execute(scope: Scope, id: string, query: ListEvalItems, options: LongReadOptions): Promise<EvalItemList> {
    const run = await this.runs.find(scope, id);
    if (!run) throw evalRunNotFound();
    const sorting = itemSorting(query.sort_by, query.sort_order);
    const request: ItemRequest = { scope, run, query, sorting, running: runningNow(run), options };
    if (query.datapoint_id !== undefined) {
      const { items } = await this.load(request, [query.datapoint_id].filter(isStorableText));
      return { items, count: items.length, next_cursor: null };
    }
    const { items: positions, nextCursor } = await fillPage(
      sorting,
      startOf(sorting, query.cursor),
      query.limit,
      async (part, from, count) => ({ rows: await this.positions(request, part, from, count) }),
      (position) => position,
    );
    const ids = positions.map((position) => position.id);
    const { items, read } = await this.load(request, ids);
    // What did not fit into memory begins the next page.
    const last = positions[read - 1];
    const next = read < positions.length && last ? encodeCursor(sorting.list, last) : nextCursor;
    return { items, count: items.length, next_cursor: next };
  }

  private async positions(
    request: ItemRequest,
    part: Part,
    from: Position | undefined,
    count: number,
  ): Promise<Position[]> {
    const { scope, run, query, sorting, options } = request;
    const filters = processedFilters(query);
    if (filters) return this.orders.positions(scope, run.id, filters, sorting, part, from, count, options);
    if (sorting.nullable && part === 'valued') {
      if (query.status !== undefined) return [];
      return this.orders.positions(scope, run.id, {}, sorting, part, from, count, options);
    }
    return this.walk(request, from, count);
  }

  /** Items in the order of their datapoints: those that are not processed among them, those sorted by a value left out. */
  private async walk(request: ItemRequest, from: Position | undefined, count: number): Promise<Position[]> {
    const { scope, run, query, sorting, options } = request;
    if (query.status !== undefined && run.progress >= run.total) return [];
    if (sorting.nullable && (await this.orders.countValued(scope, run.id, sorting, options)) >= run.total) return [];
    return walkIds(
      (afterId, limit) => this.idsAfter(request, afterId, limit),
      (ids) => this.kept(request, ids),
      (id) => (sorting.nullable ? null : id),
      from,
      count,
    );
  }

  /** Datapoints of the run in order; those alone that are being called, or scored, where only such can match. */
  private async idsAfter(
    { scope, run, query, sorting, running, options }: ItemRequest,
    afterId: string | undefined,
    limit: number,
  ): Promise<string[]> {
    const { order } = sorting;
    if (query.status === 'running') {
      const called = [...running].filter((id) => afterId === undefined || isBehind(id, afterId, order));
      const waiting = hasWaiting(run)
        ? await this.submissions.datapoints(scope, run.id, { afterId, order, limit }, options)
        : [];
      const ids = [...new Set([...called, ...waiting])].toSorted();
      return (order === 'asc' ? ids : ids.toReversed()).slice(0, limit);
    }
    const range = { afterId, order, limit };
    return this.snapshots.idsOfAny(scope, run.datasetId, [run.datasetVersion], range, options);
  }

  private async kept(
    { scope, run, query, sorting, running, options }: ItemRequest,
    ids: readonly string[],
  ): Promise<(id: string) => boolean> {
    if (query.status === undefined) {
      if (!sorting.nullable) return () => true;
      const valued = await this.orders.valued(scope, run.id, ids, sorting, options);
      return (id) => !valued.has(id);
    }
    const processed = await this.results.processed(scope, run.id, ids);
    const waiting = await this.submissions.among(scope, run, ids, options);
    const isCalled = new Set([...running, ...waiting.map(({ datapointId }) => datapointId)]);
    const wantsRunning = query.status === 'running';
    return (id) => !processed.has(id) && isCalled.has(id) === wantsRunning;
  }

  /** @returns the items of the first of the ids, and how many of them were looked at. */
  private async load(
    { scope, run, query, options }: ItemRequest,
    ids: readonly string[],
  ): Promise<{ items: EvalItem[]; read: number }> {
    if (ids.length === 0) return { items: [], read: 0 };
    const snapshot = { datasetId: run.datasetId, version: run.datasetVersion };
    const { datapoints, read } = await this.snapshots.some(scope, snapshot, ids, options);
    const withSamples = query.include?.includes('samples') ?? false;
    const sampled = withSamples ? await this.samples.some(scope, run, ids.slice(0, read), options) : undefined;
    const wanted = ids.slice(0, sampled?.read ?? read);
    const { results, read: taken } = await this.results.some(scope, run.id, wanted, options);
    const view = new ItemView(run);
    view.addWaiting(await this.submissions.among(scope, run, ids.slice(0, taken), options));
    const items = ids.slice(0, taken).flatMap((id): EvalItem[] => {
      const datapoint = datapoints.get(id);
      if (!datapoint) return [];
      return [
        {
          ...view.item(datapoint, results.get(id), sampled && (sampled.samples.get(id) ?? [])),
          ...(query.include?.includes('kind') && { kind: datapoint.kind }),
        },
      ];
    });
    return { items, read: taken };
  }
}

const isBehind = (id: string, afterId: string, order: Sorting['order']): boolean =>
  order === 'asc' ? id > afterId : id < afterId;

/** The filters of a list that only processed items can meet; `undefined` when others may. */
const processedFilters = ({ status, score_max }: ListEvalItems): ProcessedFilters | undefined =>
  score_max === undefined && (status === undefined || status === 'pending' || status === 'running')
    ? undefined
    : { status, score_max };
