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
import type { FoundList, ListRequest } from '../listing/list-request.sql.js';
import { hasGrams, hashesAsked } from './gram-filter.sql.js';
import { SLICE_STATE } from './text-index.entity.js';
import type { SliceRange } from './text-index.store.js';

const HIT = shapeOf({ id: text(), startedAt: integer() });
type Hit = RowOfShape<typeof HIT>;
const SLICE = shapeOf({ startedFrom: integer(), startedUntil: integer(), spans: integer(), held: integer() });
const NUMBER = shapeOf({ number: integer() });

/** Some candidates whose payload may contain the text, in list order. */
export interface CandidatePage {
  ids: string[];
  /** Position of the last candidate; `undefined` at the end of the list. */
  end: Position | undefined;
}

export interface TextSearch {
  list: ListRequest;
  found: FoundList;
}

/** A slice that was asked for grams; `held` is 0 where its filter has no text with all of them and none is pending, else 1. */
type AskedSlice = RowOfShape<typeof SLICE>;

/** A range of starts that a search has to look through, and how many spans it has, where a slice says it. */
interface ReadRange extends SliceRange {
  spans: number | undefined;
}

/** Spans that one statement looks through, and ranges that it does so in. */
const SPANS_A_READ = 8_000;
const RANGES_A_READ = 16;
/** Spans outside of slices are counted up to here. */
const COUNTED_MAX = 200_000;
/** The index is used where it leaves this part of all spans at most, or few. */
const PART_MAX = 1 / 4;
const FEW = 20_000;

/** Finds spans whose payload may contain a text, in the slices whose filters do not shut it out and outside of slices. */
export class IndexSearch {
  private ranges: Promise<readonly ReadRange[] | undefined> | undefined;

  private constructor(
    private readonly list: ListRequest,
    private readonly hashes: readonly number[],
    private readonly payload: Sql,
  ) {}

  /**
   * @param needles what every hit contains. @param payload the condition on `span_payload p` that every hit meets.
   * @returns `undefined` where the index is of no use: needles are too short, or few candidates are asked for.
   */
  static of({ list, found }: TextSearch, needles: readonly string[], payload: Sql): IndexSearch | undefined {
    const { query, ofTraces } = list;
    const isOfFew = query.trace_id !== undefined || query.ids !== undefined || ofTraces?.few === true;
    const hashes = needles.flatMap(hashesAsked);
    if (isOfFew || found.few || hashes.length === 0) return undefined;
    return new IndexSearch(list, hashes, payload);
  }

  /** The next candidates behind a position. @returns `undefined` where the index leaves too many spans. */
  async next(part: Part, from: Position | undefined): Promise<CandidatePage | undefined> {
    const ranges = await (this.ranges ??= this.findRanges());
    if (!ranges) return undefined;
    return this.list.byStart ? this.nextInStartOrder(ranges, part, from) : this.allInOrder(ranges, part, from);
  }

  /** The ranges that have to be looked through, oldest first; `undefined` when there is too much in them. */
  private async findRanges(): Promise<readonly ReadRange[] | undefined> {
    const whole = startsOfList(this.list.query);
    const slices = await this.askedSlices(whole);
    if (slices.length === 0) return undefined;
    const counted: ReadRange[] = [];
    let left = COUNTED_MAX;
    for (const range of rangesToRead(whole, slices)) {
      const spans = range.spans ?? (await this.countStarts(range, left));
      if (range.spans === undefined) left -= spans;
      if (left <= 0) return undefined;
      if (spans > 0) counted.push({ ...range, spans });
    }
    const read = counted.reduce((sum, { spans }) => sum + spans!, 0);
    const shut = slices.reduce((sum, { spans, held }) => (held === 1 ? sum : sum + spans), 0);
    return read <= FEW || read <= (read + shut) * PART_MAX ? counted : undefined;
  }

  /** The slices with a filter that have to do with a range of starts, oldest first. */
  private askedSlices({ startedFrom, startedUntil }: SliceRange): Promise<AskedSlice[]> {
    const { storage, scope } = this.list;
    return storage.readLong(
      SLICE.query`select t.started_from as "startedFrom", t.started_until as "startedUntil", t.spans as spans,
        case when ${hasGrams('t.grams', this.hashes)} or exists (select 1 from text_pending n
          where n.project_id = t.project_id and n.started_at >= t.started_from and n.started_at < t.started_until)
        then 1 else 0 end as held
        from text_slice t where t.project_id = ${scope.projectId} and t.state = ${SLICE_STATE.filtered}
        and t.started_until > ${startedFrom} and t.started_from < ${startedUntil} order by t.started_from`,
      scope,
    );
  }

  private async countStarts(range: SliceRange, max: number): Promise<number> {
    const { storage, scope } = this.list;
    const [row] = await storage.readLong(
      NUMBER.query`select count(*) as number from (select 1 as one from span s where s.project_id = ${scope.projectId}
        and ${startsWithin('s.started_at', range)} limit ${max}) taken`,
      scope,
    );
    return row!.number;
  }

  private async nextInStartOrder(
    ranges: readonly ReadRange[],
    part: Part,
    from: Position | undefined,
  ): Promise<CandidatePage> {
    const { sorting, limits } = this.list;
    const { order } = sorting;
    const behindIt = ranges.flatMap((range) => rangeBehind(range, order, from));
    const [some, rest] = firstRead(order === 'desc' ? behindIt.toReversed() : behindIt);
    const ofHits: Sorting = { ...sorting, column: 'h.started_at', idColumn: 'h.id', unindexed: false };
    const inOrder = sql` order by ${orderBy(ofHits, part)} limit ${limits.hits}`;
    const hits = await this.hitsIn(some, behind(sorting, part, from), inOrder);
    const ids = hits.map(({ id }) => id);
    if (hits.length === limits.hits) return { ids, end: { value: hits.at(-1)!.startedAt, id: hits.at(-1)!.id } };
    const last = some.at(-1);
    if (!last || rest.length === 0) return { ids, end: undefined };
    // Ids are not empty: descending, all before the edge is left, ascending, what is at it too.
    return { ids, end: { value: order === 'desc' ? last.startedFrom : last.startedUntil, id: '' } };
  }

  /** All hits of a list in another order. @returns `undefined` when there are many. */
  private async allInOrder(
    ranges: readonly ReadRange[],
    part: Part,
    from: Position | undefined,
  ): Promise<CandidatePage | undefined> {
    const { storage, scope, sorting, limits } = this.list;
    const hits: Hit[] = [];
    for (let [some, rest] = firstRead(ranges); some.length > 0; [some, rest] = firstRead(rest)) {
      hits.push(...(await this.hitsIn(some, rawSql('1 = 1'), sql` limit ${limits.hits + 1}`)));
      if (hits.length > limits.hits) return undefined;
    }
    const ids = hits.map(({ id }) => id);
    const starts = hits.map(({ startedAt }) => startedAt);
    const sorted = await storage.readLong(
      HIT.query`select s.id as id, s.started_at as "startedAt" from span s where s.project_id = ${scope.projectId}
        and ${anyOf('s.id', ids)}${atStarts('s.started_at', starts)} and ${behind(sorting, part, from)}
        order by ${orderBy({ ...sorting, unindexed: true }, part)}`,
      scope,
    );
    return { ids: sorted.map(({ id }) => id), end: undefined };
  }

  /** Spans of some ranges that meet all filters, and whose payloads may contain the text. */
  private async hitsIn(ranges: readonly ReadRange[], where: Sql, end: Sql): Promise<Hit[]> {
    if (ranges.length === 0) return [];
    const padded = [...ranges];
    // Few numbers of ranges are few statements.
    while (padded.length !== 2 ** Math.ceil(Math.log2(padded.length))) padded.push(NOTHING);
    const arms = padded.map(
      (range) => sql`select s.id as id, s.started_at as started_at from span s
        where ${this.list.where(['since', 'until'], startsWithin('s.started_at', range))} and ${where}
        and exists (select 1 from span_payload p where p.project_id = s.project_id and p.span_id = s.id
          ${onPostgres(rawSql('and p.started_at = s.started_at'))}${betweenStarts('p.started_at', range.startedFrom, range.startedUntil)}
          and ${this.payload} limit 1 offset 0)`,
    );
    return this.list.storage.readLong(
      HIT.query`select h.id as id, h.started_at as "startedAt" from (${joinSql(arms, ' union all ')}) h${end}`,
      this.list.scope,
    );
  }
}

const NOTHING: ReadRange = { startedFrom: 0, startedUntil: 0, spans: 0 };

/**
 * What a search has to look through, oldest first: all but the slices which have nothing.
 * @param whole the starts that the list can have.
 * @param slices that have to do with it, and that do not overlap, oldest first.
 */
export function rangesToRead(whole: SliceRange, slices: readonly AskedSlice[]): ReadRange[] {
  const ranges: ReadRange[] = [];
  const add = (startedFrom: number, startedUntil: number, spans: number | undefined): void => {
    const [from, until] = [Math.max(startedFrom, whole.startedFrom), Math.min(startedUntil, whole.startedUntil)];
    if (from >= until) return;
    const last = ranges.at(-1);
    if (last?.startedUntil === from && last.spans !== undefined && spans !== undefined) {
      ranges[ranges.length - 1] = { startedFrom: last.startedFrom, startedUntil: until, spans: last.spans + spans };
    } else ranges.push({ startedFrom: from, startedUntil: until, spans });
  };
  let at = whole.startedFrom;
  for (const { startedFrom, startedUntil, spans, held } of slices) {
    add(at, startedFrom, undefined);
    at = startedUntil;
    if (held === 1) add(startedFrom, startedUntil, spans);
  }
  add(at, whole.startedUntil, undefined);
  return ranges;
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

/** The earliest and latest start that the spans of a list can have. */
function startsOfList({ since, until, within }: ListRequest['query']): SliceRange {
  return {
    startedFrom: Math.max(since ?? Number.MIN_SAFE_INTEGER, within?.from ?? Number.MIN_SAFE_INTEGER),
    startedUntil: Math.min(until ?? Number.MAX_SAFE_INTEGER, within?.until ?? Number.MAX_SAFE_INTEGER),
  };
}

/**
 * What is left of a range behind a position of a list in start order.
 * @param position its id is empty at the edge of a read: descending, no span that starts there is left.
 */
function rangeBehind(range: ReadRange, order: Sorting['order'], position: Position | undefined): ReadRange[] {
  if (position === undefined) return [range];
  const start = Number(position.value);
  const { startedFrom, startedUntil, spans } = range;
  const left =
    order === 'desc'
      ? { startedFrom, startedUntil: Math.min(startedUntil, position.id === '' ? start : start + 1), spans }
      : { startedFrom: Math.max(startedFrom, start), startedUntil, spans };
  return left.startedFrom < left.startedUntil ? [left] : [];
}

/** Whether a start is within a range. @param column of constant text. */
const startsWithin = (column: string, { startedFrom, startedUntil }: SliceRange): Sql =>
  sql`${rawSql(column)} >= ${startedFrom} and ${rawSql(column)} < ${startedUntil}`;
