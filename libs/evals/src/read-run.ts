import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import {
  jsonTextInPieces,
  isStorableText,
  type EvalRunResource,
  type EvalItem,
  type EvalItemList,
  type DatapointRunResult,
  type DatapointRunResultList,
  type ListDatapointResults,
  type ListEvalItems,
  type ResultItemResource,
  type RunScorer,
} from '@spandrel/contract';
import {
  datapointKind,
  datapointNotFound,
  DatapointStore,
  DatasetSnapshots,
  DatasetStore,
  type SnapshotDatapoint,
  csvCell,
} from '@spandrel/datasets';
import { itemTexts, streamSlices } from '@spandrel/http';
import { inTurns, type Scope } from '@spandrel/kernel';
import { encodeCursor, fillPage, startOf, type Position, type Part, type Sorting } from '@spandrel/storage';
import { ByteWriter, ParquetWriter } from 'hyparquet-writer';
import { ItemView, listDatapointsRunningNow } from './eval-item.js';
import { EvalAttemptStore, EvalResultStore, itemSorting, EvalSampleStore } from './eval-result.store.js';
import type { EvalRunRow } from './eval-run.entity.js';
import { listScorers, runSummary, snapshotOf } from './eval-run.js';
import { EvalRunStore } from './eval-run.store.js';
import { SubmissionStore, hasWaiting } from './external/submission.store.js';

/** Ids that a walk looks at in one go. */
const LOOKED_AT = 1_000;

/** Datapoints of snapshots in order: up to `count` behind an id, or from the first on; fewer only at the end. */
type IdsAfter = (afterId: string | undefined, count: number) => Promise<string[]>;

/**
 * Goes through datapoints in order and keeps some of them.
 * @param keep which of some ids are kept. @param count how many are wanted.
 * @returns their positions, as a list has them whose value is `valueOf` the id. Fewer only at the end.
 */
export async function walkIds(
  idsAfter: IdsAfter,
  keep: (ids: readonly string[]) => Promise<(id: string) => boolean>,
  valueOf: (id: string) => Position['value'],
  from: Position | undefined,
  count: number,
): Promise<Position[]> {
  const kept: Position[] = [];
  for (let after = from?.id; ;) {
    const ids = await idsAfter(after, LOOKED_AT);
    const isKept = await keep(ids);
    for (const id of ids) {
      if (isKept(id)) kept.push({ value: valueOf(id), id });
      if (kept.length === count) return kept;
    }
    if (ids.length < LOOKED_AT) return kept;
    after = ids.at(-1);
  }
}

/**
 * A page of items by their datapoints, or the item of one datapoint alone.
 * @param from where the page begins. @param load the items of the first of some ids, as many as fit into memory.
 */
export async function listItems<Item>(
  { datapoint_id: only, limit }: Pick<ListEvalItems, 'datapoint_id' | 'limit'>,
  sorting: Sorting,
  from: () => Position | undefined,
  positions: (part: Part, from: Position | undefined, count: number) => Promise<Position[]>,
  load: (ids: readonly string[]) => Promise<{ items: Item[]; read: number }>,
): Promise<{ items: Item[]; count: number; next_cursor: string | null }> {
  if (only !== undefined) {
    const { items } = await load([only].filter(isStorableText));
    return { items, count: items.length, next_cursor: null };
  }
  const { items: found, nextCursor } = await fillPage(
    sorting,
    from(),
    limit,
    async (part, start, count) => ({ rows: await positions(part, start, count) }),
    (position) => position,
  );
  const { items, read } = await load(found.map(({ id }) => id));
  // What did not fit into memory begins the next page.
  const last = found[read - 1];
  const next = read < found.length && last ? encodeCursor(sorting.list, last) : nextCursor;
  return { items, count: items.length, next_cursor: next };
}

const SLICE = 500;
/** Items of a page of a table. */
const TABLE_SLICE = 100;

function datapointResult(run: EvalRunRow, item: ResultItemResource): DatapointRunResult {
  const { status, score, passed = null, worst_repeat: worst = null, samples } = item;
  const { latency_ms, tokens, cost, judge_cost } = item;
  const { id, name, config, repeats, created_at } = runSummary(run);
  return {
    ...{ run_id: id, run_name: name, model: config.model, repeats, created_at, status, score, passed },
    ...{ worst_repeat: worst, worst_score: samples?.find(({ repeat }) => repeat === worst)?.score ?? null },
    ...{ latency_ms, tokens, cost, judge_cost },
  };
}

interface ItemRequest {
  scope: Scope;
  run: EvalRunRow;
  query: ListEvalItems;
  sorting: Sorting;
  running: ReadonlySet<string>;
}

/** Runs and their items, pending ones too (docs/spec/evaluations.md#result-items). */
@Injectable()
export class ReadRun {
  constructor(
    private readonly runs: EvalRunStore,
    private readonly results: EvalResultStore,
    private readonly samples: EvalSampleStore,
    private readonly attempts: EvalAttemptStore,
    private readonly submissions: SubmissionStore,
    private readonly snapshots: DatasetSnapshots,
    private readonly datasets: DatasetStore,
    private readonly datapoints: DatapointStore,
  ) {}

  /** The run without its items. @throws NotFound. */
  async summary(scope: Scope, id: string): Promise<EvalRunResource> {
    return { ...runSummary(await this.runs.get(scope, id)), result_items: [] };
  }

  /**
   * @returns the JSON of the run, its items read and written slice by slice, so that a run of any size is shown whole
   *   in bounded memory.
   * @throws NotFound, and what reading the first slice throws, before anything is written.
   */
  async execute(scope: Scope, id: string): Promise<Readable> {
    const run = await this.runs.get(scope, id);
    return streamSlices(this.slices(scope, run), {
      head: `${JSON.stringify(runSummary(run)).slice(0, -1)},"result_items":[`,
      between: ',',
      tail: () => ']}',
    });
  }

  private async *slices(scope: Scope, run: EvalRunRow): AsyncGenerator<Iterable<string>> {
    const snapshot = snapshotOf(run);
    for (let after = ''; ;) {
      const datapoints = await this.snapshots.after(scope, snapshot, after, SLICE);
      const byId = new Map(datapoints.map((datapoint) => [datapoint.id, datapoint]));
      const ids = [...byId.keys()];
      const { items, read } = await this.items(scope, run, ids, byId, true);
      if (read === 0) return;
      const texts: string[] = [];
      for (const item of items) texts.push(await inTurns(jsonTextInPieces(item)));
      yield itemTexts(texts, (index) => (index === 0 ? '' : ','));
      after = ids[read - 1]!;
    }
  }

  /**
   * `GET /api/eval/:run_id/items` (docs/spec/evaluations.md#listing-result-items).
   * @throws NotFound; Invalid `invalid_cursor`.
   */
  async list(scope: Scope, id: string, query: ListEvalItems): Promise<EvalItemList> {
    const run = await this.runs.get(scope, id);
    const sorting = itemSorting(query.sort_by, query.sort_order);
    const request: ItemRequest = { scope, run, query, sorting, running: listDatapointsRunningNow(run) };
    return listItems(
      query,
      sorting,
      () => startOf(sorting, query.cursor),
      (part, from, count) => this.positions(request, part, from, count),
      (ids) => this.load(request, ids),
    );
  }

  /**
   * All items that {@link list} has on its pages, as a table.
   * @throws like {@link list}, before anything is written.
   */
  async table(scope: Scope, id: string, query: ListEvalItems): Promise<Readable> {
    const run = await this.runs.get(scope, id);
    const hasSamples = query.include?.includes('samples') ?? false;
    const columns = tableColumns(listScorers(run), hasSamples);
    const pages = this.tablePages(scope, id, { ...query, include: ['kind', ...(query.include ?? [])] });
    return writeTable(query.format === 'csv' ? 'csv' : 'parquet', columns, pages);
  }

  private async *tablePages(scope: Scope, id: string, query: ListEvalItems) {
    for (let cursor = query.cursor; ;) {
      const { items, next_cursor: next } = await this.list(scope, id, { ...query, cursor, limit: TABLE_SLICE });
      yield tableRows(items, query.include!.includes('samples'));
      if (next === null) return;
      cursor = next;
    }
  }

  /**
   * What became of a datapoint in the runs that processed it, the newest first (docs/spec/evaluations.md#results-of-a-datapoint).
   * @throws NotFound for the dataset or the datapoint; Invalid `invalid_cursor`.
   */
  async listOfDatapoint(
    scope: Scope,
    datasetId: string,
    datapointId: string,
    query: ListDatapointResults,
  ): Promise<DatapointRunResultList> {
    await this.datasets.get(scope, datasetId);
    const datapoint = await this.datapoints.find(scope, datasetId, datapointId);
    if (!datapoint) throw datapointNotFound();
    const content = new Map([[datapointId, { id: datapointId, kind: datapointKind(datapoint) }]]);
    const found = await this.runs.list(scope, { ...query, dataset_id: datasetId, datapoint_id: datapointId });
    const results: DatapointRunResult[] = [];
    for (const run of found.items) {
      const { items } = await this.items(scope, run, [datapointId], content, true, true);
      for (const item of items) results.push(datapointResult(run, item));
    }
    return { results, count: results.length, next_cursor: found.nextCursor };
  }

  private async positions(
    request: ItemRequest,
    part: Part,
    from: Position | undefined,
    count: number,
  ): Promise<Position[]> {
    const { scope, run, query, sorting } = request;
    const { status, score_max, passed, flaky } = query;
    const mayBeUnprocessed = status === undefined || status === 'pending' || status === 'running';
    const isOfProcessed = [score_max, passed, flaky].some((filter) => filter !== undefined);
    if (isOfProcessed || !mayBeUnprocessed) {
      const filters = { status, score_max, passed, flaky };
      return this.results.positions(scope, run, filters, sorting, part, from, count);
    }
    if (sorting.nullable && part === 'valued') {
      if (status !== undefined) return [];
      return this.results.positions(scope, run, {}, sorting, part, from, count);
    }
    return this.walk(request, from, count);
  }

  /** Items in the order of their datapoints: those that are not processed among them, those sorted by a value left out. */
  private async walk(request: ItemRequest, from: Position | undefined, count: number): Promise<Position[]> {
    const { scope, run, query, sorting } = request;
    if (query.status !== undefined && run.progress >= run.total) return [];
    if (sorting.nullable && (await this.results.countValued(scope, run.id, sorting)) >= run.total) return [];
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
    { scope, run, query, sorting, running }: ItemRequest,
    afterId: string | undefined,
    limit: number,
  ): Promise<string[]> {
    const { order } = sorting;
    if (query.status === 'running') {
      const called = [...running].filter(
        (id) => afterId === undefined || (order === 'asc' ? id > afterId : id < afterId),
      );
      const waiting = hasWaiting(run)
        ? await this.submissions.datapoints(scope, run.id, { afterId, order, limit })
        : [];
      const ids = [...new Set([...called, ...waiting])].toSorted();
      return (order === 'asc' ? ids : ids.toReversed()).slice(0, limit);
    }
    const range = { afterId, order, limit };
    return this.snapshots.idsOfAny(scope, [snapshotOf(run)], range);
  }

  private async kept(
    { scope, run, query, sorting, running }: ItemRequest,
    ids: readonly string[],
  ): Promise<(id: string) => boolean> {
    if (query.status === undefined) {
      if (!sorting.nullable) return () => true;
      const valued = await this.results.valued(scope, run.id, ids, sorting);
      return (id) => !valued.has(id);
    }
    const processed = await this.results.processed(scope, run.id, ids);
    const waiting = await this.submissions.among(scope, run, ids);
    const isCalled = new Set([...running, ...waiting.map(({ datapointId }) => datapointId)]);
    const wantsRunning = query.status === 'running';
    return (id) => !processed.has(id) && isCalled.has(id) === wantsRunning;
  }

  /** @returns the items of the first of the ids, and how many of them were looked at. */
  private async load(
    { scope, run, query }: ItemRequest,
    ids: readonly string[],
  ): Promise<{ items: EvalItem[]; read: number }> {
    if (ids.length === 0) return { items: [], read: 0 };
    const snapshot = snapshotOf(run);
    const { datapoints, read } = await this.snapshots.some(scope, snapshot, ids);
    const withSamples = query.include?.includes('samples') ?? false;
    const found = await this.items(scope, run, ids.slice(0, read), datapoints, withSamples);
    const items = found.items.map((item) => ({
      ...item,
      ...(query.include?.includes('kind') && { kind: datapoints.get(item.datapoint_id)!.kind }),
    }));
    return { items: [...items], read: found.read };
  }

  /** @returns the items of the first of the ids, each made when it is taken, and how many were looked at: as many as fit into memory. */
  private async items(
    scope: Scope,
    run: EvalRunRow,
    ids: readonly string[],
    datapoints: ReadonlyMap<string, SnapshotDatapoint>,
    withSamples: boolean,
    hasOneScore = false,
  ) {
    const sampled = withSamples ? await this.samples.some(scope, run, ids) : undefined;
    const { results, read } = await this.results.some(scope, run.id, ids.slice(0, sampled?.read));
    const { attempts, read: looked } = await this.attempts.some(scope, run, ids.slice(0, read));
    const taken = ids.slice(0, looked);
    const view = new ItemView(run, hasOneScore);
    view.addWaiting(await this.submissions.among(scope, run, taken));
    const items = taken.values().flatMap((id) => {
      const datapoint = datapoints.get(id);
      if (!datapoint) return [];
      const samples = sampled && (sampled.samples.get(id) ?? []);
      return [view.item(datapoint, results.get(id), samples, attempts.get(id))];
    });
    return { items, read: looked };
  }
}

/** A row: an item, or one sample of it. */
type Row = Omit<EvalItem, 'samples'> & { repeat?: number };

interface Column {
  name: string;
  type: 'text' | 'number' | 'count';
  /** Texts as they are, any other JSON for a column of texts. */
  of(row: Row): unknown;
}

const member = (type: Column['type'], ...names: (keyof Row)[]): Column[] =>
  names.map((name) => ({ name, type, of: (row) => row[name] }));

/** @param hasSamples whether rows are samples. */
const tableColumns = (scorers: readonly Pick<RunScorer, 'name'>[], hasSamples: boolean): Column[] => [
  ...member('text', 'datapoint_id'),
  ...(hasSamples ? member('count', 'repeat') : []),
  ...member('text', 'status', 'input', 'expected', 'output'),
  ...member('number', 'score'),
  ...scorers.map(({ name }): Column => ({
    name: `scores.${name}`,
    type: 'number',
    of: (row) => row.scores[name]?.score,
  })),
  ...member('text', 'score_reason', 'error'),
  ...member('number', 'latency_ms', 'cost', 'judge_cost'),
  ...member('count', 'tokens', 'judge_tokens', 'attempts', 'judge_attempts'),
  ...member('text', 'judge_model', 'trace_id', 'metadata'),
  { name: 'datapoint_metadata', type: 'text', of: ({ kind }) => kind && Object.values(kind)[0]!.metadata },
];

/** The rows of items: one each, or one a sample. */
const tableRows = (items: readonly EvalItem[], hasSamples: boolean): Row[] =>
  hasSamples
    ? items.flatMap(({ samples, ...item }) => (samples ?? [{ repeat: 0 }]).map((sample) => ({ ...item, ...sample })))
    : [...items];

/**
 * Writes a table page by page: CSV with a header row, whose texts no spreadsheet takes for formulas, or Parquet.
 * @throws what reading the first page throws, before anything is written.
 */
async function writeTable(
  format: 'csv' | 'parquet',
  columns: readonly Column[],
  pages: AsyncGenerator<Row[]>,
): Promise<Readable> {
  const pieces = format === 'csv' ? csvPieces(columns, pages) : parquetPieces(columns, pages);
  const first = await pieces.next();
  return Readable.from(joinPieces(first.value as Uint8Array | string, pieces), { objectMode: false });
}

async function* joinPieces<Piece>(first: Piece, rest: AsyncGenerator<Piece>): AsyncGenerator<Piece> {
  yield first;
  yield* rest;
}

async function* csvPieces(columns: readonly Column[], pages: AsyncGenerator<Row[]>): AsyncGenerator<string> {
  let head = `${columns.map(({ name }) => name).join()}\n`;
  for await (const rows of pages) {
    yield head;
    head = '';
    for (const row of rows) yield `${columns.map((column) => csvText(column.of(row))).join()}\n`;
  }
}

const csvText = (value: unknown): string =>
  value === null || value === undefined ? '' : csvCell(JSON.stringify(value));

const TYPES = {
  text: { type: 'BYTE_ARRAY', converted_type: 'UTF8' },
  number: { type: 'DOUBLE' },
  count: { type: 'INT64' },
} as const;

/** A row group a page; values of JSON are its text, and no value is null. */
async function* parquetPieces(columns: readonly Column[], pages: AsyncGenerator<Row[]>): AsyncGenerator<Uint8Array> {
  const writer = new ByteWriter();
  const fields = columns.map(({ name, type }) => ({ name, repetition_type: 'OPTIONAL' as const, ...TYPES[type] }));
  const schema = [{ name: 'results', num_children: fields.length }, ...fields];
  // Long texts would take too long to compress.
  const parquet = new ParquetWriter({ writer, schema, codec: 'UNCOMPRESSED', statistics: false });
  for await (const rows of pages) {
    const columnData = columns.map((column) => ({
      name: column.name,
      data: rows.map((row) => parquetCell(column, row)),
    }));
    await parquet.write({ columnData, rowGroupSize: rows.length });
    yield writer.getBytes().slice();
    writer.index = 0;
  }
  await parquet.finish();
  yield writer.getBytes().slice();
}

function parquetCell({ type, of }: Column, row: Row): string | number | bigint | null {
  const value = of(row) ?? null;
  if (value === null) return null;
  if (type === 'text') return typeof value === 'string' ? value : JSON.stringify(value);
  return type === 'count' ? BigInt(value as number) : (value as number);
}
