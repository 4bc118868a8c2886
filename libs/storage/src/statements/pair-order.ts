import type { LongReadOptions } from '../backend.js';
import type { Storage } from '../storage.js';
import { type SizedRows, limitBySize } from './id-order.js';
import { integer, text } from './row-shape.js';
import { rawSql, sql, type Sql } from './sql.js';
import { Selection } from './table.js';

const PAIR_AND_SIZE = {
  text: { first: text(), second: text(), bytes: integer() },
  number: { first: text(), second: integer(), bytes: integer() },
};

export type Pair<Second extends string | number> = readonly [first: string, second: Second];

/** The order of rows by two columns that identify each row, as they are read from the first to the last. */
export class PairOrder<Second extends string | number> {
  /**
   * @param first a column of text with the alias of its table: `e.run_id`. @param second another, of the type named.
   */
  constructor(
    private readonly first: string,
    private readonly second: string,
    private readonly type: Second extends string ? 'text' : 'number',
  ) {}

  /** Large rows behind a pair, as {@link IdOrder.fitting} reads them. @returns no rows only at the end. */
  async fitting<Row>(
    storage: Pick<Storage, 'readLong'>,
    { columns, size, bytesMax, select }: SizedRows<Row>,
    after: Pair<Second> | undefined,
    count: number,
    options: LongReadOptions,
  ): Promise<Row[]> {
    const pair = sql`${rawSql(this.first)} as first, ${rawSql(this.second)} as second`;
    const sizes = new Selection<{ first: string; second: Second; bytes: number }>(
      PAIR_AND_SIZE[this.type],
      sql`${pair}, ${size} as bytes`,
    );
    for (let from = after; ;) {
      const taken = limitBySize(await storage.readLong(select(sizes, this.rest(from, count)), options), bytesMax);
      const last = taken.at(-1);
      if (last === undefined) return [];
      const through: Pair<Second> = [last.first, last.second];
      const rows = await storage.readLong(select(columns, this.rest(from, count, through)), options);
      if (rows.length > 0) return rows;
      from = through;
    }
  }

  private rest(after: Pair<Second> | undefined, count: number, through?: Pair<Second>): Sql {
    const [first, second] = [rawSql(this.first), rawSql(this.second)];
    const from = after === undefined ? sql`1 = 1` : sql`(${first}, ${second}) > (${after[0]}, ${after[1]})`;
    const to = through === undefined ? sql`1 = 1` : sql`(${first}, ${second}) <= (${through[0]}, ${through[1]})`;
    return sql`${from} and ${to} order by ${first}, ${second} limit ${count}`;
  }
}
