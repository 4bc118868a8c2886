import {
  anyOf,
  atStarts,
  behind,
  betweenStarts,
  joinSql,
  orderBy,
  rawSql,
  sql,
  type DaySize,
  type Part,
  type Position,
  type Sorting,
  type Sql,
} from '@spandrel/storage';
import { firstScan, rangeBehind } from './scan-ranges.js';
import type { SpanRead, StartRange } from './span-candidates.store.js';
import { spanConditions } from './span-filter.store.js';

/** Bytes of payloads that one statement looks through: few at first, since a page may be full soon. */
const SCAN_BYTES_MIN = 64 * 1024 * 1024;
const SCAN_BYTES_MAX = 512 * 1024 * 1024;
/** A day that has more might take longer than a statement may: its spans are looked up in list order. */
const DAY_BYTES_MAX = 8 * 1024 * 1024 * 1024;

/** Spans that may be what is searched, in list order, and where the search goes on; at the end `undefined`. */
export interface Scanned {
  maybes: string[];
  end: Position | undefined;
}

interface Hit {
  id: string;
  startedAt: number;
}

/**
 * Some spans of a list in start order whose payload may contain what is searched, on Postgres: the partitions of a few
 * days are read as they lie. For a search with hardly a hit this takes a fraction of the time of looking payloads up by
 * their keys.
 * @param payload conditions on `span_payload p`.
 * @param sizes of the days that have partitions, oldest first.
 * @param turn how often the search has scanned already.
 * @returns `undefined` where a day is too large to be read by one statement.
 */
export async function scanDays(
  read: SpanRead,
  payload: readonly Sql[],
  sizes: readonly DaySize[],
  part: Part,
  from: Position | undefined,
  turn: number,
): Promise<Scanned | undefined> {
  const { sorting, limits } = read;
  const { order } = sorting;
  const left = rangeBehind(rangeOf(read), order, from);
  const range = firstScan(order, left, sizes, bytesOf(turn));
  if (range.bytes > DAY_BYTES_MAX) return undefined;
  const ofPayload: Sorting = { ...sorting, column: 'p.started_at', idColumn: 'p.span_id' };
  const inOrder = sql` order by ${orderBy(ofPayload, part)} limit ${limits.hits}`;
  const hits = await hitsIn(read, range, [...payload, behind(ofPayload, part, from)], inOrder);
  const matching = await matchingOf(read, hits);
  const maybes = hits.map(({ id }) => id).filter((id) => matching.has(id));
  if (hits.length === limits.hits) return { maybes, end: { value: hits.at(-1)!.startedAt, id: hits.at(-1)!.id } };
  const [edge, last] = order === 'desc' ? [range.from, left.from] : [range.until, left.until];
  // Ids are not empty: descending, all before the edge is left, ascending, what is at it too.
  return { maybes, end: edge === last || edge === undefined ? undefined : { value: edge, id: '' } };
}

/**
 * As {@link scanDays}, of a list in another order: all days are read.
 * @returns all that is left of the list; `undefined` when there are many hits, or too large a day.
 */
export async function scanAllDays(
  read: SpanRead,
  payload: readonly Sql[],
  sizes: readonly DaySize[],
  part: Part,
  from: Position | undefined,
): Promise<Scanned | undefined> {
  const { storage, sorting, options, limits } = read;
  const hits: Hit[] = [];
  let left: StartRange | undefined = rangeOf(read);
  for (let turn = 0; left; turn++) {
    const range = firstScan('desc', left, sizes, bytesOf(turn));
    if (range.bytes > DAY_BYTES_MAX) return undefined;
    hits.push(...(await hitsIn(read, range, payload, sql` limit ${limits.hits + 1}`)));
    if (hits.length > limits.hits) return undefined;
    left = range.from === left.from ? undefined : { from: left.from, until: range.from };
  }
  const found = await storage.readLong<{ id: string }>(
    sql`select s.id as id from span s where ${joinSql([...conditionsOn(read, hits), behind(sorting, part, from)], ' and ')}
      order by ${orderBy({ ...sorting, unindexed: true }, part)}`,
    options,
  );
  return { maybes: found.map(({ id }) => id), end: undefined };
}

const bytesOf = (turn: number): number => Math.min(SCAN_BYTES_MIN * 2 ** turn, SCAN_BYTES_MAX);

function hitsIn({ storage, scope, options }: SpanRead, range: StartRange, where: readonly Sql[], end: Sql) {
  return storage.readLong<Hit>(
    sql`select p.span_id as id, p.started_at as "startedAt" from span_payload p
      where p.project_id = ${scope.projectId}${betweenStarts('p.started_at', range.from, range.until)}
        and ${joinSql(where, ' and ')}${end}`,
    options,
  );
}

/** Which of the hits the other filters take. */
async function matchingOf(read: SpanRead, hits: readonly Hit[]): Promise<ReadonlySet<string>> {
  const { storage, options } = read;
  if (hits.length === 0) return new Set();
  const rows = await storage.readLong<{ id: string }>(
    sql`select s.id as id from span s where ${joinSql(conditionsOn(read, hits), ' and ')}`,
    options,
  );
  return new Set(rows.map(({ id }) => id));
}

function conditionsOn({ scope, query, ofTraces }: SpanRead, hits: readonly Hit[]): Sql[] {
  const ids = hits.map(({ id }) => id);
  const starts = hits.map(({ startedAt }) => startedAt);
  const ofHits = sql`${anyOf('s.id', ids)}${atStarts('s.started_at', starts)}`;
  return [...(spanConditions(scope, query) ?? [rawSql('1 = 0')]), ...(ofTraces ? [ofTraces] : []), ofHits];
}

/** Between which starts the spans of a list lie. */
function rangeOf({ query: { since, until, within } }: SpanRead): StartRange {
  const from = Math.max(since ?? -Infinity, within?.from ?? -Infinity);
  const end = Math.min(until ?? Infinity, within?.until ?? Infinity);
  return { from: from === -Infinity ? undefined : from, until: end === Infinity ? undefined : end };
}
