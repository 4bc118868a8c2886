import {
  anyOf,
  atStarts,
  behind,
  betweenStarts,
  integer,
  joinSql,
  onPostgres,
  orderBy,
  rawSql,
  shapeOf,
  sql,
  text,
  type Part,
  type Position,
  type RowOfShape,
  type Sorting,
  type Sql,
} from '@spandrel/storage';
import { askedSlices, countStarts, lateStarts, startsWithin } from '../../text-slices/asked-slices.sql.js';
import { hashesAsked } from '../../text-slices/gram-filter.js';
import type { ListRequest } from '../list-request.sql.js';
import { listStarts, rangeBehind } from './scan-ranges.js';
import { rangesToRead, type ReadRange } from './slice-ranges.js';
import { needlesInJson, payloadConditions } from './text-filter.sql.js';
import { FIRST_SLICE, type Slice, type TextSearch, type TextStrategy } from './text-strategy.js';

const ID = shapeOf({ id: text() });
const HIT = ID.and(shapeOf({ startedAt: integer() }));
type Hit = RowOfShape<typeof HIT>;

/** Spans that one statement looks through, and ranges that it does so in. */
const SPANS_A_READ = 8_000;
const RANGES_A_READ = 16;
/** With more late spans than these, slices say too little. */
const LATE_MAX = 10_000;
/** Spans outside of slices are counted up to here. */
const COUNTED_MAX = 200_000;
/** Few spans are looked through in any case; more of them only when they are few among all. */
const FEW = 20_000;
/** Which part of all spans, looked up by their keys, takes as long as reading all of them as they lie. */
const PART_MAX = { sqlite: 1 / 2, postgres: 1 / 4 };

/**
 * Spans whose payload may contain what is searched, in those slices whose filters do not shut it out (ADR 0037), and in all
 * that lies in no slice: for a search with hardly a hit, these are few.
 */
export const filteredSlices: TextStrategy = {
  name: 'filtered-slices',

  applies: ({ list, found }) =>
    list.query.trace_id === undefined &&
    list.query.ids === undefined &&
    !list.ofTraces?.few &&
    !found.walk?.sorting.unindexed &&
    hashesOf(list).length > 0,

  worthBehind: ({ list }) => Math.min(list.limits.searched, FIRST_SLICE),

  async next(search, part, from) {
    const { list } = search;
    const ranges = await rangesOf(search);
    if (!ranges) return undefined;
    return list.byStart ? nextInStartOrder(list, ranges, part, from) : allInOrder(list, ranges, part, from);
  },
};

const known = new WeakMap<TextSearch, Promise<readonly ReadRange[] | undefined>>();

/** The ranges that a search has to look through, oldest first, found out once; `undefined` when there is too much in them. */
function rangesOf(search: TextSearch): Promise<readonly ReadRange[] | undefined> {
  let ranges = known.get(search);
  if (!ranges) known.set(search, (ranges = findRanges(search.list)));
  return ranges;
}

async function findRanges(list: ListRequest): Promise<readonly ReadRange[] | undefined> {
  const { from = Number.MIN_SAFE_INTEGER, until = Number.MAX_SAFE_INTEGER } = listStarts(list.query);
  const whole = { startedFrom: from, startedUntil: until };
  // Before the slices: a span that is late no more by then is in a filter.
  const late = await lateStarts(list, whole, LATE_MAX + 1);
  if (late.length > LATE_MAX) return undefined;
  const slices = await askedSlices(list, whole, hashesOf(list));
  if (slices.length === 0) return undefined;
  const ranges = rangesToRead(whole, slices, late);
  const counted: ReadRange[] = [];
  let left = COUNTED_MAX;
  for (const range of ranges) {
    const spans = range.spans ?? (await countStarts(list, range, left));
    if (range.spans === undefined) left -= spans;
    if (left <= 0) return undefined;
    if (spans > 0) counted.push({ ...range, spans });
  }
  const read = counted.reduce((sum, { spans }) => sum + spans!, 0);
  const shut = slices.reduce((sum, { spans, held }) => (held === 1 ? sum : sum + spans), 0);
  return read <= FEW || read <= (read + shut) * PART_MAX[list.storage.dialect] ? counted : undefined;
}

/** The hits of some ranges of a list in start order. */
async function nextInStartOrder(
  list: ListRequest,
  ranges: readonly ReadRange[],
  part: Part,
  from: Position | undefined,
): Promise<Slice> {
  const { sorting, limits } = list;
  const { order } = sorting;
  const left = rangeBehind({}, order, from);
  const behindIt = ranges.flatMap((range) => within(range, left));
  const [some, rest] = firstRead(order === 'desc' ? behindIt.toReversed() : behindIt);
  const ofHits: Sorting = { ...sorting, column: 'h.started_at', idColumn: 'h.id', unindexed: false };
  const inOrder = sql` order by ${orderBy(ofHits, part)} limit ${limits.hits}`;
  const hits = await hitsIn(list, some, behind(sorting, part, from), inOrder);
  const maybes = hits.map(({ id }) => id);
  if (hits.length === limits.hits) return { maybes, end: { value: hits.at(-1)!.startedAt, id: hits.at(-1)!.id } };
  const last = some.at(-1);
  if (!last || rest.length === 0) return { maybes, end: undefined };
  // Ids are not empty: descending, all before the edge is left, ascending, what is at it too.
  return { maybes, end: { value: order === 'desc' ? last.startedFrom : last.startedUntil, id: '' } };
}

/** The hits of a list in another order. @returns `undefined` when there are many. */
async function allInOrder(
  list: ListRequest,
  ranges: readonly ReadRange[],
  part: Part,
  from: Position | undefined,
): Promise<Slice | undefined> {
  const { storage, sorting, options, limits } = list;
  const hits: Hit[] = [];
  for (let [some, rest] = firstRead(ranges); some.length > 0; [some, rest] = firstRead(rest)) {
    hits.push(...(await hitsIn(list, some, rawSql('1 = 1'), sql` limit ${limits.hits + 1}`)));
    if (hits.length > limits.hits) return undefined;
  }
  const ids = hits.map(({ id }) => id);
  const starts = hits.map(({ startedAt }) => startedAt);
  const which = sql`${anyOf('s.id', ids)}${atStarts('s.started_at', starts)}`;
  const sorted = await storage.readLong(
    ID.query`select s.id as id from span s
      where s.project_id = ${list.scope.projectId} and ${which} and ${behind(sorting, part, from)}
      order by ${orderBy({ ...sorting, unindexed: true }, part)}`,
    options,
  );
  return { maybes: sorted.map(({ id }) => id), end: undefined };
}

/** What one statement looks through, and what is left. */
function firstRead(ranges: readonly ReadRange[]): [ReadRange[], readonly ReadRange[]] {
  const some: ReadRange[] = [];
  let spans = 0;
  for (const range of ranges) {
    if (some.length === RANGES_A_READ || (some.length > 0 && spans + range.spans! > SPANS_A_READ)) break;
    some.push(range);
    spans += range.spans!;
  }
  return [some, ranges.slice(some.length)];
}

/** Spans of some ranges that meet all filters, and whose payloads may contain what is searched. */
async function hitsIn(list: ListRequest, ranges: readonly ReadRange[], where: Sql, end: Sql): Promise<Hit[]> {
  if (ranges.length === 0) return [];
  const payload = joinSql(payloadConditions(list.query), ' and ');
  const padded = [...ranges];
  // Few numbers of ranges are few statements.
  while (padded.length !== 2 ** Math.ceil(Math.log2(padded.length))) padded.push({ ...NOTHING });
  const arms = padded.map(
    (range) => sql`select s.id as id, s.started_at as started_at from span s
      where ${list.where(['since', 'until'], startsWithin('s.started_at', range))} and ${where}
      and exists (select 1 from span_payload p where p.project_id = s.project_id and p.span_id = s.id
        ${onPostgres(rawSql('and p.started_at = s.started_at'))}${betweenStarts('p.started_at', range.startedFrom, range.startedUntil)}
        and ${payload} limit 1 offset 0)`,
  );
  return list.storage.readLong(
    HIT.query`select h.id as id, h.started_at as "startedAt" from (${joinSql(arms, ' union all ')}) h${end}`,
    list.options,
  );
}

const NOTHING: ReadRange = { startedFrom: 0, startedUntil: 0, spans: 0 };

function within(
  { spans, ...range }: ReadRange,
  { from, until }: { from?: number | undefined; until?: number | undefined },
): ReadRange[] {
  const startedFrom = Math.max(range.startedFrom, from ?? range.startedFrom);
  const startedUntil = Math.min(range.startedUntil, until ?? range.startedUntil);
  return startedFrom < startedUntil ? [{ startedFrom, startedUntil, spans }] : [];
}

const hashesOf = ({ query }: ListRequest): number[] => needlesInJson(query).flatMap(hashesAsked);
