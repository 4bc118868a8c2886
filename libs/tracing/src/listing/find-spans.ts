import { isStorableText, type ListSpans } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import type {
  DayPartitions,
  DaySize,
  Fetched,
  LongReadOptions,
  Part,
  Position,
  Sorting,
  Storage,
} from '@spandrel/storage';
import { startsOfSpans, startsOfTraces } from '../span-places.sql.js';
import type { SpanStore } from '../span.store.js';
import type { ListLimits } from './list-limits.js';
import { ListRequest } from './list-request.sql.js';
import type { FoundList } from './list-strategy.js';
import { planList } from './plan-list.js';
import { filteredValues } from './span-filter.sql.js';
import type { SpanQuery, StartRange } from './span-query.js';
import type { SpanForm } from './span-form.js';
import { PARTITIONS_MIN, startWindows, WINDOW_DAYS } from './start-windows.js';
import { searchText } from './text/text-search.sql.js';
import { searchesText } from './text/text-filter.sql.js';
import { ofMatchingTraces, type OfTraces } from './trace-filter.sql.js';

/** A list as it is to be found. */
export interface PlannedList {
  list: ListRequest;
  found: FoundList;
}

/** The ranges to look in behind a position, in list order; one without ends is all starts at once. */
type Windows = (start: Position | undefined) => readonly StartRange[];

/** What finds the spans of lists. */
export interface FindingParts {
  storage: Storage;
  spans: SpanStore;
  limits: ListLimits;
  partitions: DayPartitions | undefined;
}

/** The list that is asked for. */
interface Asked {
  scope: Scope;
  query: SpanQuery;
  sorting: Sorting;
  ofTraces: OfTraces | undefined;
  options: LongReadOptions;
}

/** The spans of one list, found as {@link planList} has it, off the main thread. */
export class FoundSpans {
  private readonly planned = new Map<StartRange, Promise<PlannedList | undefined>>();

  private constructor(
    private readonly parts: FindingParts,
    private readonly asked: Asked,
    private readonly windows: Windows,
  ) {}

  /** @returns `undefined` when nothing can match. */
  static async of(
    parts: FindingParts,
    scope: Scope,
    given: ListSpans,
    sorting: Sorting,
    options: LongReadOptions,
  ): Promise<FoundSpans | undefined> {
    const filtered = withImpliedStatus(given);
    if (!filtered) return undefined;
    const patient = searchesText(filtered) ? { ...options, patient: true } : options;
    const ofTraces = await ofMatchingTraces(parts.storage, scope, filtered, patient);
    if (ofTraces === null) return undefined;
    const days = await manyDays(parts, filtered);
    const asked = { scope, query: { ...filtered, ...(days && { days }) }, sorting, ofTraces, options: patient };
    return new FoundSpans(parts, asked, await windowsOf(parts, asked));
  }

  /** Rows of a part of the list behind a position, in list order, at most as many as asked for. */
  async fetch<Row>(part: Part, start: Position | undefined, count: number, form: SpanForm<Row>): Promise<Fetched<Row>> {
    const rows: Row[] = [];
    for (const window of this.windows(start)) {
      const planned = await this.planIn(window);
      if (!planned) continue;
      const fetched = await this.fetchIn(planned, part, start, count - rows.length, form);
      rows.push(...fetched.rows);
      if (fetched.cut) return { rows, cut: true };
      if (rows.length >= count) break;
    }
    return { rows };
  }

  /** The ways to all spans of the list, window by window. */
  async *plans(): AsyncGenerator<PlannedList> {
    for (const window of this.windows(undefined)) {
      const planned = await this.planIn(window);
      if (planned) yield planned;
    }
  }

  /** A range of the list that is met twice, in its two parts, is planned once. */
  private planIn(window: StartRange): Promise<PlannedList | undefined> {
    let planned = this.planned.get(window);
    if (!planned) this.planned.set(window, (planned = this.plan(window)));
    return planned;
  }

  private async plan(window: StartRange): Promise<PlannedList | undefined> {
    const { storage, limits } = this.parts;
    const { query, ...asked } = this.asked;
    const within = window === EVER ? query : { ...query, within: window };
    const list = new ListRequest({ ...asked, storage, limits, query: within });
    const found = await planList(list);
    return found && { list, found };
  }

  private async fetchIn<Row>(
    { list, found }: PlannedList,
    part: Part,
    start: Position | undefined,
    count: number,
    form: SpanForm<Row>,
  ): Promise<Fetched<Row>> {
    const { spans, partitions } = this.parts;
    if (searchesText(list.query)) {
      let sizes: Promise<readonly DaySize[]> | undefined;
      const daySizes = () => (sizes ??= partitions?.sizes() ?? Promise.resolve([]));
      return searchText({ list, found, daySizes }, spans, form, part, start, count);
    }
    const ids = (await found.candidates(part, start, count)).map(({ id }) => id);
    const rows = await form.load(list.scope, ids, list.options);
    return { rows, cut: rows.length < ids.length };
  }
}

/** All starts at once. */
const EVER: StartRange = {};

/** A filter on errors takes failed spans alone, which an index finds. @returns `undefined` when nothing can match. */
function withImpliedStatus(query: ListSpans): ListSpans | undefined {
  if (query.error_contains === undefined) return query;
  return query.status === undefined || query.status === 'failed' ? { ...query, status: 'failed' } : undefined;
}

/**
 * In which ranges of starts spans are looked for, one after the other. Of a list in start order, and of spans that are
 * named or of few traces, Postgres is thus asked about the partitions that matter.
 */
async function windowsOf(
  { storage, partitions }: FindingParts,
  { scope, query, ofTraces, options }: Asked,
): Promise<Windows> {
  if (storage.dialect === 'sqlite') return () => [EVER];
  const read = <Row>(statement: Parameters<typeof storage.readLong<Row>>[0]) => storage.readLong(statement, options);
  const { ids } = query;
  if (ids) {
    const starts = await startsOfSpans(read, scope, ids.filter(isStorableText));
    return () => [starts];
  }
  const traceIds = query.trace_id === undefined ? ofTraces?.ids : [query.trace_id];
  if (traceIds && traceIds.every(isStorableText)) {
    const starts = await startsOfTraces(read, scope, traceIds);
    return () => [starts];
  }
  if (query.sort_by !== 'started_at') return () => [EVER];
  const days = [...((await partitions?.known()) ?? [])];
  if (days.length < PARTITIONS_MIN) return () => [EVER];
  const ends = { oldest: Math.min(...days), newest: Math.max(...days) };
  // In every window names are looked through anew.
  const windowDays = query.name_contains === undefined ? WINDOW_DAYS : WINDOW_DAYS.slice(0, 1);
  return (start) => startWindows(query, start, ends, windowDays);
}

/**
 * The days that have partitions, of a list by a number, where they are many; as they are now, or spans were missed.
 */
async function manyDays({ partitions }: FindingParts, query: ListSpans): Promise<readonly number[] | undefined> {
  const byNumber = filteredValues(query).length > 0 || (query.sort_by !== 'started_at' && query.sort_by !== 'name');
  const days = byNumber ? await partitions?.days() : undefined;
  return days && days.length >= PARTITIONS_MIN ? days : undefined;
}
