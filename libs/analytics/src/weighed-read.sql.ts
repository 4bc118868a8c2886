import { Injectable } from '@nestjs/common';
import { integer, shapeOf, Storage, type LongReadOptions, type Query, type Sql } from '@spandrel/storage';

const COUNT = shapeOf({ n: integer() });

/** Rows that are read where they hold up other requests, on SQLite: a millisecond or two. */
const LIGHT_ROWS_MAX = 2_000;

/**
 * Reads of which most are quick and some are not. The quick ones must not wait behind long reads of others, the long
 * ones must not hold up the event loop: rows are counted first, up to a bound.
 */
@Injectable()
export class WeighedRead {
  constructor(private readonly storage: Storage) {}

  /**
   * @param touched `select 1 from …`: the rows that the query goes through, in order of an index; also those that it
   *   passes by, or finding out that there are few could take as long as the query.
   * @param query one statement, so that all of its answer is of one moment.
   */
  async read<Row>(touched: Sql, query: Query<Row>, options: LongReadOptions): Promise<Row[]> {
    const [weight] = await this.storage.read(
      COUNT.query`select count(*) as n from (${touched} limit ${LIGHT_ROWS_MAX + 1}) touched`,
    );
    return weight!.n > LIGHT_ROWS_MAX ? this.storage.readLong(query, options) : this.storage.read(query);
  }
}
