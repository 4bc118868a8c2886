import type { PlainList, SortOrder } from '@spandrel/contract';
import type { LongReadOptions } from '../backend.js';
import { fillPage, startOf, type Fetched, type Page, type Sorting } from './keyset.js';
import { joinSql, rawSql, sql, type Sql } from './sql.js';
import type { Storage } from '../storage.js';
import { integer, text, type Query, type RowOfColumns } from './row-shape.js';
import { Selection } from './table.js';

/** The first of the rows that fit into memory together, at least one. @param bytesMax in the unit of `bytes`. */
export function limitBySize<Row extends { bytes: number }>(rows: readonly Row[], bytesMax: number): Row[] {
  let bytes = 0;
  const end = rows.findIndex((row, index) => (bytes += Number(row.bytes)) > bytesMax && index > 0);
  return end === -1 ? [...rows] : rows.slice(0, end);
}

/** The first of the ids whose rows fit together in the same way. @param sizes of the rows there are, in any order. */
export function limitIdsBySize(
  ids: readonly string[],
  sizes: readonly { id: string; bytes: number }[],
  bytesMax: number,
): string[] {
  const bytesOf = new Map(sizes.map(({ id, bytes }) => [id, bytes]));
  const sized = ids.map((id) => ({ id, bytes: bytesOf.get(id) ?? 0 }));
  return limitBySize(sized, bytesMax).map(({ id }) => id);
}

/** Bytes of texts that a page of a list brings into memory, about: they are read and written at once. */
export const PAGE_BYTES = 1024 * 1024;

const BYTES = { bytes: integer() };

/**
 * The first of some large rows in any order, as many as fit on a page. They are looked up twice, sizes first.
 * @param size bytes of a row's texts, known without reading them. @param read the first so many of the rows.
 */
export async function readFitting<Row>(
  columns: Selection<Row>,
  size: Sql,
  count: number,
  read: <Some>(columns: Selection<Some>, count: number) => Promise<Some[]>,
): Promise<Fetched<Row>> {
  const sized = await read(new Selection<RowOfColumns<typeof BYTES>>(BYTES, sql`${size} as bytes`), count);
  const fitting = limitBySize(sized, PAGE_BYTES).length;
  return { rows: fitting === 0 ? [] : await read(columns, fitting), cut: fitting < sized.length };
}

const SIZED = { id: text(), bytes: integer() };
type Sized = RowOfColumns<typeof SIZED>;

export interface SizedRows<Row> {
  columns: Selection<Row>;
  /** Bytes of a row's texts, known without reading them. */
  size: Sql;
  /** Text that one read brings into memory, about. */
  bytesMax: number;
  /** Selects columns of the rows; `rest` is the last condition of its `where`, with order and limit behind it. */
  select: <Some>(columns: Selection<Some>, rest: Sql) => Query<Some>;
}

/** The order of rows by their ids, in which they were made; an index that ends in the id serves. */
export class IdOrder {
  private readonly sorting: Sorting;

  /**
   * @param list what cursors are bound to. @param idColumn with the alias of its table, which selects must use: `d.id`.
   */
  constructor(
    list: string,
    private readonly idColumn: string,
    private readonly order: SortOrder,
  ) {
    this.sorting = { list, column: idColumn, idColumn, type: 'text', nullable: false, order };
  }

  /**
   * A page of small rows. @param read reads them; `rest` is the last condition of its `where`, with order and limit.
   * @throws Invalid `invalid_cursor`
   */
  page<Row extends { id: string }>(query: PlainList, read: (rest: Sql) => Promise<Row[]>): Promise<Page<Row>> {
    return this.fill(query, async (afterId, count) => ({ rows: await read(this.rest(afterId, count)) }));
  }

  /** A page of large rows; it ends early when they are too large for one read. @throws Invalid `invalid_cursor`. */
  sizedPage<Row extends { id: string }>(
    query: PlainList,
    storage: Pick<Storage, 'readLong'>,
    rows: SizedRows<Row>,
    options?: LongReadOptions,
  ): Promise<Page<Row>> {
    return this.fill(query, (afterId, count) => this.fitting(storage, rows, afterId, count, options));
  }

  /**
   * Up to `count` large rows behind an id, as many as fit into one read. They are looked up twice, sizes first; those
   * that went or stopped matching in between are left out. @returns no rows only at the end.
   */
  fitting<Row extends { id: string }>(
    storage: Pick<Storage, 'readLong'>,
    rows: SizedRows<Row>,
    afterId: string | undefined,
    count: number,
    options?: LongReadOptions,
  ): Promise<Fetched<Row>> {
    const sizes = new Selection<Sized>(SIZED, sql`${rawSql(this.idColumn)} as id, ${rows.size} as bytes`);
    const rest: Rest<{ id: string }> = (after, through) => this.rest(after?.id, count, through?.id);
    return fittingRows(storage, rows, sizes, rest, afterId === undefined ? undefined : { id: afterId }, count, options);
  }

  /**
   * A page of rows that are read some other way. @throws Invalid `invalid_cursor`
   * @param fetch up to `count` rows behind an id, or from the first on, in order; fewer at the end, or with `cut`.
   */
  fill<Row extends { id: string }>(
    { limit, cursor }: PlainList,
    fetch: (afterId: string | undefined, count: number) => Promise<Fetched<Row>>,
  ): Promise<Page<Row>> {
    const from = startOf(this.sorting, cursor);
    return fillPage(
      this.sorting,
      from,
      limit,
      (_part, start, count) => fetch(start?.id, count),
      ({ id }) => ({ value: id, id }),
    );
  }

  private rest(afterId: string | undefined, count: number, throughId?: string): Sql {
    const id = rawSql(this.idColumn);
    const [beyond, within] = this.order === 'asc' ? ['>', '<='] : ['<', '>='];
    const bounds = [
      ...(afterId === undefined ? [] : [sql`${id} ${rawSql(beyond!)} ${afterId}`]),
      ...(throughId === undefined ? [] : [sql`${id} ${rawSql(within!)} ${throughId}`]),
    ];
    const bounded = bounds.length === 0 ? sql`1 = 1` : joinSql(bounds, ' and ');
    return sql`${bounded} order by ${id} ${rawSql(this.order)} limit ${count}`;
  }
}

const PAIR_AND_SIZE = { first: text(), second: integer(), bytes: integer() };

export interface Pair {
  first: string;
  second: number;
}

/** The order of rows by two columns that identify each row, as they are read from the first to the last. */
export class PairOrder {
  /** @param first a column of text with the alias of its table: `e.run_id`. @param second another, of integers. */
  constructor(
    private readonly first: string,
    private readonly second: string,
  ) {}

  /** Large rows behind a pair, as {@link IdOrder.fitting} reads them. @returns no rows only at the end. */
  async fitting<Row>(
    storage: Pick<Storage, 'readLong'>,
    rows: SizedRows<Row>,
    after: Pair | undefined,
    count: number,
    options: LongReadOptions,
  ): Promise<Row[]> {
    const [first, second] = [rawSql(this.first), rawSql(this.second)];
    const columns = sql`${first} as first, ${second} as second, ${rows.size} as bytes`;
    const sizes = new Selection<RowOfColumns<typeof PAIR_AND_SIZE>>(PAIR_AND_SIZE, columns);
    const bound = (operator: string, pair: Pair | undefined): Sql =>
      pair ? sql`(${first}, ${second}) ${rawSql(operator)} (${pair.first}, ${pair.second})` : sql`1 = 1`;
    const rest: Rest<Pair> = (from, through) =>
      sql`${bound('>', from)} and ${bound('<=', through)} order by ${first}, ${second} limit ${count}`;
    return (await fittingRows(storage, rows, sizes, rest, after, count, options)).rows;
  }
}

/** The last condition of a select of rows behind a key, up to and with another one where it is given; with order and limit. */
type Rest<Key> = (after: Key | undefined, through?: Key) => Sql;

async function fittingRows<Key, Row>(
  storage: Pick<Storage, 'readLong'>,
  { columns, bytesMax, select }: SizedRows<Row>,
  sizes: Selection<Key & { bytes: number }>,
  rest: Rest<Key>,
  after: Key | undefined,
  count: number,
  options?: LongReadOptions,
): Promise<Fetched<Row>> {
  for (let from = after; ;) {
    const sized = await storage.readLong(select(sizes, rest(from)), options);
    const taken = limitBySize(sized, bytesMax);
    const last = taken.at(-1);
    if (!last) return { rows: [] };
    const rows = await storage.readLong(select(columns, rest(from, last)), options);
    if (rows.length > 0) return { rows, cut: taken.length < sized.length || sized.length === count };
    from = last;
  }
}
