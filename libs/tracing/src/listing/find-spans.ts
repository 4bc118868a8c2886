import { isStorableText, type ListSpans } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import {
  type DayPartitions,
  type Fetched,
  type Part,
  type Position,
  type Sorting,
  type Sql,
  type Storage,
  rawSql,
  dayOf,
  dayStart,
} from '@spandrel/storage';
import type { ReadStoreGiven, ReadStoreSums } from '@spandrel/plugin-api';
import {
  mergedPositions,
  type ReadStorePort,
  type StoredSpanList,
  type StoredSpanSums,
  type StoredSumQuery,
  unlessAway,
} from '../reading/read-store-port.js';
import { resolveScores, resolveScoreSort, scoresOfPage, type ScoresPort } from '../reading/scores-port.js';
import { startsOfSpans, startsOfTraces } from '../span-partitions.sql.js';
import type { SpanStore } from '../span.store.js';
import { type Candidates, type ListLimits, ListRequest, type FoundList, type SpanForm } from './list-request.sql.js';
import { planList } from './list-strategies.sql.js';
import {
  equalityFilters,
  filteredValues,
  spanConditions,
  isValue,
  type IndexedFilter,
  type SpanQuery,
  type StartRange,
} from './span-filter.sql.js';
import { ofMatchingTraces, type OfTraces } from './trace-filter.sql.js';
import { searchesText, searchText } from '../text-index/search-text.sql.js';

export interface PlannedList {
  list: ListRequest;
  found: FoundList;
}

/** The ranges to look in behind a position, in list order; one without ends is all starts at once. */
type Windows = (start: Position | undefined) => readonly StartRange[];

export interface FindingParts {
  storage: Storage;
  spans: SpanStore;
  limits: ListLimits;
  partitions: DayPartitions | undefined;
  scores: ScoresPort | undefined;
  readStore: ReadStorePort | undefined;
}

interface Asked {
  scope: Scope;
  query: SpanQuery;
  sorting: Sorting;
  ofTraces: OfTraces | undefined;
}

/** The spans of one list, found as {@link planList} has it, off the main thread. */
export class FoundSpans {
  /** Where the candidates that were looked at are in the list. */
  readonly positions = new Map<string, Position>();
  private readonly planned = new Map<StartRange, Promise<PlannedList | undefined>>();

  private stored: Promise<StoredSpanList | undefined> | undefined;

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
  ): Promise<FoundSpans | undefined> {
    const implied = withImpliedStatus(given);
    const filtered = implied && (await resolveScores(parts.scores, scope, 'span', implied));
    const scoreSort = resolveScoreSort(parts.scores, scope, 'span', given, filtered?.ids);
    if (!filtered || scoreSort === null) return undefined;
    const reading = searchesText(filtered) ? { ...scope, patient: true } : scope;
    const ofTraces = await ofMatchingTraces(parts.storage, reading, filtered);
    if (ofTraces === null) return undefined;
    const days = await manyDays(parts, filtered);
    const scoredOrder = isByScores(filtered, ofTraces) ? await scoresOfPage(filtered, sorting.list) : undefined;
    const query = { ...filtered, scoredOrder, scoreSort, ...(days && { days }) };
    const asked = { scope: reading, query, sorting, ofTraces };
    return new FoundSpans(parts, asked, await windowsOf(parts, asked));
  }

  /** Rows of a part of the list behind a position, in list order, at most as many as asked for. */
  async fetch<Row>(part: Part, start: Position | undefined, count: number, form: SpanForm<Row>): Promise<Fetched<Row>> {
    const stored = await this.byStore(async (stored) => {
      const { list, own } = await this.pendingOf(stored);
      const { sorting } = this.asked;
      const candidates: Candidates = async (...asked) => {
        const lists = await Promise.all([stored.find(...asked), own(...asked)]);
        return mergedPositions(sorting, lists).slice(0, asked[2]);
      };
      return this.fetchIn({ list, found: { candidates, byStore: true } }, part, start, count, form);
    });
    if (stored) return stored;
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

  /** The condition of the list on `span s`, of all starts at once; `null` for one on texts, which no condition says. */
  get where(): Sql | null {
    const { query } = this.asked;
    if (searchesText(query)) return null;
    const indexed: IndexedFilter[] = ['since', 'until', ...equalityFilters(query).slice(0, 1)];
    return this.request(query).where(indexed);
  }

  /** How many spans there are, up to a number, where the read store says so. */
  countStored(max: number): Promise<number | undefined> {
    return this.byStore(async (stored) => {
      const { own } = await this.pendingOf(stored);
      const [count, pending] = await Promise.all([stored.count(max), own('valued', undefined, max)]);
      return Math.min(max, count + pending.length);
    });
  }

  /**
   * Sums of all spans of the list, where the read store makes them.
   * @param givenOf sums of the spans that it does not have, by a condition on `span s`, and of what it never has of all of
   *   them; `undefined` where that is too much.
   */
  async sumStored(
    sums: StoredSumQuery,
    givenOf: (pending: Sql | undefined, all: Sql) => Promise<ReadStoreGiven[] | undefined>,
  ): Promise<ReadStoreSums[] | undefined> {
    const { scope, query } = this.asked;
    const { where: all } = this;
    if (all === null || spanConditions(scope, query) === null) return undefined;
    const stored = await this.parts.readStore?.registered?.sumsOf(scope, query, sums);
    if (!stored) return undefined;
    const pending = stored.pending.length === 0 ? undefined : (await this.pendingOf(stored)).where;
    const given = await givenOf(pending, all);
    return given && unlessAway(() => stored.add(given));
  }

  /** Asks the read store, where there is one that can be used. */
  private async byStore<Answer>(ask: (stored: StoredSpanList) => Promise<Answer>): Promise<Answer | undefined> {
    const stored = await (this.stored ??= this.askStore());
    const answer = stored && (await unlessAway(() => ask(stored)));
    if (answer === undefined) this.stored = Promise.resolve(undefined);
    return answer;
  }

  private async askStore(): Promise<StoredSpanList | undefined> {
    const { scope, query, ofTraces } = this.asked;
    if (ofTraces?.few || spanConditions(scope, query) === null) return undefined;
    return this.parts.readStore?.registered?.listOf(scope, query);
  }

  /** The list, and those spans of it that are not in the read store yet. */
  private async pendingOf({
    pending: ids,
  }: Pick<StoredSpanSums, 'pending'>): Promise<{ list: ListRequest; own: Candidates; where: Sql }> {
    const { storage } = this.parts;
    const { scope, query } = this.asked;
    const list = this.request(query);
    if (ids.length === 0) return { list, own: async () => [], where: rawSql('1 = 0') };
    const within = storage.dialect === 'postgres' ? await startsOfSpans(storage.reads(scope), scope, ids) : undefined;
    const pending = this.request({ ...query, ids: [...ids], ...(within && { within }) });
    const where = pending.where();
    return { list, own: pending.candidates(where, true), where };
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
    const { query } = this.asked;
    const list = this.request(window === EVER ? query : { ...query, within: window });
    const found = await planList(list);
    if (!found || !query.scoreSort) return found && { list, found };
    const candidates: Candidates = async (...asked) => {
      const positions = await found.candidates(...asked);
      for (const position of positions) this.positions.set(position.id, position);
      return positions;
    };
    return { list, found: { ...found, candidates } };
  }

  private request(query: SpanQuery): ListRequest {
    const { scope, sorting, ofTraces } = this.asked;
    return new ListRequest(this.parts.storage, scope, query, sorting, ofTraces, this.parts.limits);
  }

  private async fetchIn<Row>(
    { list, found }: PlannedList,
    part: Part,
    start: Position | undefined,
    count: number,
    form: SpanForm<Row>,
  ): Promise<Fetched<Row>> {
    const { spans } = this.parts;
    if (searchesText(list.query)) return searchText({ list, found }, spans, form, part, start, count);
    const ids = (await found.candidates(part, start, count)).map(({ id }) => id);
    const rows = await form.load(list.scope, ids);
    return { rows, cut: rows.length < ids.length };
  }
}

const EVER: StartRange = {};

/** Whether a list is read by its scores: in start order, where no other filter has an index or looks into texts. */
const isByScores = (query: SpanQuery, ofTraces: OfTraces | undefined): boolean =>
  query.sort_by === 'started_at' && !ofTraces && equalityFilters(query).length === 0 && !searchesText(query);

/** A filter on errors takes failed spans alone, which an index finds. @returns `undefined` when nothing can match. */
function withImpliedStatus(query: ListSpans): ListSpans | undefined {
  if (query.error_contains === undefined) return query;
  return query.status === undefined || query.status === 'failed' ? { ...query, status: 'failed' } : undefined;
}

/** Ranges of starts in which spans are looked for, one after the other: Postgres plans for their partitions alone. */
async function windowsOf({ storage, partitions }: FindingParts, { scope, query, ofTraces }: Asked): Promise<Windows> {
  if (storage.dialect === 'sqlite') return () => [EVER];
  const reader = storage.reads(scope);
  const { ids } = query;
  if (ids && !query.scoredOrder) {
    const starts = await startsOfSpans(reader, scope, ids.filter(isStorableText));
    return () => [starts];
  }
  const traceIds = query.trace_id === undefined ? ofTraces?.ids : [query.trace_id];
  if (traceIds && traceIds.every(isStorableText)) {
    const starts = await startsOfTraces(reader, scope, traceIds);
    return () => [starts];
  }
  if (query.sort_by !== 'started_at' || query.scoredOrder) return () => [EVER];
  const days = [...((await partitions?.known()) ?? [])];
  if (days.length < PARTITIONS_MIN) return () => [EVER];
  const ends = { oldest: Math.min(...days), newest: Math.max(...days) };
  // Names are looked through in every window.
  const windowDays = query.name_contains === undefined ? WINDOW_DAYS : WINDOW_DAYS.slice(0, 1);
  return (start) => startWindows(query, start, ends, windowDays);
}

/** The days that have partitions now, of a list by a number, where they are many. */
async function manyDays({ partitions }: FindingParts, query: ListSpans): Promise<readonly number[] | undefined> {
  const byNumber = filteredValues(query).length > 0 || isValue(query.sort_by);
  const days = byNumber ? await partitions?.days() : undefined;
  return days && days.length >= PARTITIONS_MIN ? days : undefined;
}

/** Days of the windows, in list order; one more takes all that is left. */
const WINDOW_DAYS: readonly number[] = [2, 14];
/** Windows pay from so many partitions on: a statement over fewer of them is planned as quickly. */
const PARTITIONS_MIN = 8;

/**
 * Ranges of starts, each of whole days, that a list in start order is read in, one after the other: a page is as a rule
 * full after the first, and a statement that says which days it is about is planned for their partitions alone.
 * @param from the position behind which the list begins.
 * @param windowDays days of the windows before the last.
 * @param ends the oldest day with spans, and the newest, as far as is known: only how soon rows are found hangs on it.
 */
export function startWindows(
  { since, until, sort_order: order }: Pick<ListSpans, 'since' | 'until' | 'sort_order'>,
  from: Position | undefined,
  ends: { oldest: number; newest: number },
  windowDays = WINDOW_DAYS,
): StartRange[] {
  const at = from === undefined ? undefined : dayOf(Number(from.value));
  const low = since === undefined ? undefined : dayOf(since);
  const high = until === undefined ? undefined : dayOf(until);
  const windows: StartRange[] = [];
  if (order === 'desc') {
    const start = Math.min(at ?? Infinity, high ?? Infinity);
    let past = start === Infinity ? undefined : dayStart(start + 1);
    let edge = start === Infinity ? ends.newest : start;
    for (const days of windowDays) {
      edge -= days;
      if (low !== undefined && edge < low) break;
      windows.push({ from: dayStart(edge + 1), until: past });
      past = dayStart(edge + 1);
    }
    windows.push({ from: low === undefined ? undefined : dayStart(low), until: past });
    return windows;
  }
  const start = Math.max(at ?? -Infinity, low ?? -Infinity);
  let first = start === -Infinity ? undefined : dayStart(start);
  let edge = start === -Infinity ? ends.oldest : start;
  for (const days of windowDays) {
    edge += days;
    if (high !== undefined && edge > high) break;
    windows.push({ from: first, until: dayStart(edge) });
    first = dayStart(edge);
  }
  windows.push({ from: first, until: high === undefined ? undefined : dayStart(high + 1) });
  return windows;
}
