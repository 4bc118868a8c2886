import {
  anyOf,
  atStarts,
  behind,
  betweenStarts,
  integer,
  joinSql,
  orderBy,
  shapeOf,
  sql,
  text,
  type DaySize,
  type Part,
  type Position,
  type RowOfShape,
  type Sorting,
  type Sql,
} from '@spandrel/storage';
import { firstScan, listStarts, rangeBehind } from './scan-ranges.js';
import type { ListRequest } from '../list-request.sql.js';
import type { StartRange } from '../span-query.js';
import { payloadConditions } from './text-filter.sql.js';
import { FIRST_SLICE, type Slice, type TextSearch, type TextStrategy } from './text-strategy.js';

const ID = shapeOf({ id: text() });

/** Bytes of payloads that one statement looks through: few at first, since a page may be full soon. */
const SCAN_BYTES_MIN = 64 * 1024 * 1024;
const SCAN_BYTES_MAX = 512 * 1024 * 1024;
/** A day that has more might take longer than a statement may: its spans are looked up in list order. */
const DAY_BYTES_MAX = 8 * 1024 * 1024 * 1024;

const HIT = ID.and(shapeOf({ startedAt: integer() }));
type Hit = RowOfShape<typeof HIT>;

/**
 * Lists in start order on Postgres: the partitions of a few days are read as they lie. For a search with hardly a hit this
 * takes a fraction of the time of looking payloads up by their keys.
 */
export const dayByDay: TextStrategy = {
  name: 'day-by-day',
  applies: (search) => canScanDays(search) && search.list.byStart,
  worthBehind: ({ list }) => Math.min(list.limits.searched, FIRST_SLICE),
  next: async ({ list, daySizes }, part, from, turn) => scanDays(list, await daySizes(), part, from, turn),
};

/** Lists in another order on Postgres: the partitions of all days are read as they lie. */
export const allDays: TextStrategy = {
  name: 'all-days',
  applies: (search) => canScanDays(search) && !search.list.byStart,
  worthBehind: ({ list }) => list.limits.searched,
  next: async ({ list, daySizes }, part, from) => scanAllDays(list, await daySizes(), part, from),
};

/** Whether days may be scanned: not where the candidates are few among all spans. */
const canScanDays = ({ list, found }: TextSearch): boolean =>
  list.storage.dialect === 'postgres' &&
  !list.ofTraces &&
  list.query.trace_id === undefined &&
  !found.walk?.sorting.unindexed;

/**
 * Some hits of a list in start order.
 * @param sizes of the days that have partitions, oldest first.
 * @param turn how often the search has scanned already.
 * @returns `undefined` where a day is too large to be read by one statement.
 */
async function scanDays(
  read: ListRequest,
  sizes: readonly DaySize[],
  part: Part,
  from: Position | undefined,
  turn: number,
): Promise<Slice | undefined> {
  const payload = payloadConditions(read.query);
  const { sorting, limits } = read;
  const { order } = sorting;
  const left = rangeBehind(listStarts(read.query), order, from);
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
 * The hits of a list in another order than that of starts.
 * @returns all that is left of the list; `undefined` when there are many hits, or too large a day.
 */
async function scanAllDays(
  read: ListRequest,
  sizes: readonly DaySize[],
  part: Part,
  from: Position | undefined,
): Promise<Slice | undefined> {
  const payload = payloadConditions(read.query);
  const { storage, sorting, options, limits } = read;
  const hits: Hit[] = [];
  let left: StartRange | undefined = listStarts(read.query);
  for (let turn = 0; left; turn++) {
    const range = firstScan('desc', left, sizes, bytesOf(turn));
    if (range.bytes > DAY_BYTES_MAX) return undefined;
    hits.push(...(await hitsIn(read, range, payload, sql` limit ${limits.hits + 1}`)));
    if (hits.length > limits.hits) return undefined;
    left = range.from === left.from ? undefined : { from: left.from, until: range.from };
  }
  const found = await storage.readLong(
    ID.query`select s.id as id from span s where ${conditionsOn(read, hits)} and ${behind(sorting, part, from)}
      order by ${orderBy({ ...sorting, unindexed: true }, part)}`,
    options,
  );
  return { maybes: found.map(({ id }) => id), end: undefined };
}

const bytesOf = (turn: number): number => Math.min(SCAN_BYTES_MIN * 2 ** turn, SCAN_BYTES_MAX);

function hitsIn({ storage, scope, options }: ListRequest, range: StartRange, where: readonly Sql[], end: Sql) {
  return storage.readLong(
    HIT.query`select p.span_id as id, p.started_at as "startedAt" from span_payload p
      where p.project_id = ${scope.projectId}${betweenStarts('p.started_at', range.from, range.until)}
        and ${joinSql(where, ' and ')}${end}`,
    options,
  );
}

/** Which of the hits the other filters take. */
async function matchingOf(read: ListRequest, hits: readonly Hit[]): Promise<ReadonlySet<string>> {
  const { storage, options } = read;
  if (hits.length === 0) return new Set();
  const rows = await storage.readLong(
    ID.query`select s.id as id from span s where ${conditionsOn(read, hits)}`,
    options,
  );
  return new Set(rows.map(({ id }) => id));
}

function conditionsOn(list: ListRequest, hits: readonly Hit[]): Sql {
  const ids = hits.map(({ id }) => id);
  const starts = hits.map(({ startedAt }) => startedAt);
  return list.where([], sql`${anyOf('s.id', ids)}${atStarts('s.started_at', starts)}`);
}
