import { Injectable } from '@nestjs/common';
import { DomainError } from '@spandrel/kernel';
import {
  integer,
  onPostgres,
  shapeOf,
  sql,
  Storage,
  type LongReadOptions,
  type Query,
  type Sql,
} from '@spandrel/storage';
import { ScanSettings } from '../tracing.settings.js';

const ONE = shapeOf({ one: integer() });

/** A row of `trace` is longer: a table of so many bytes has fewer rows than that comes to. */
const TRACE_BYTES_MIN = 100;

/** Reads that go through all spans or traces of a range: up to a number of rows, and for so long (docs/spec/limits.md). */
@Injectable()
export class BoundedScan {
  constructor(
    private readonly storage: Storage,
    private readonly limits: ScanSettings,
  ) {}

  /**
   * @param rows `select 1 as one from …`: what the query reads, of which one too many is looked for first.
   * @throws DomainError `range_too_large` when that are too many, or reading them takes too long.
   */
  async read<Row>(rows: Sql, query: Query<Row>, options: LongReadOptions): Promise<Row[]> {
    const { analyticsScanRows: rowsMax, analyticsScanMs: timeMax } = this.limits;
    const late = AbortSignal.timeout(timeMax);
    const signal = options.signal ? AbortSignal.any([options.signal, late]) : late;
    const read = <One>(one: Query<One>): Promise<One[]> => this.storage.readLong(one, { ...options, signal });
    try {
      const tooMany = await read(ONE.query`${rows} limit 1 offset ${rowsMax}`);
      if (tooMany.length > 0) throw rangeTooLarge(`has more than ${rowsMax} rows to read`);
      return await read(query);
    } catch (error) {
      if (late.aborted && !options.signal?.aborted) throw rangeTooLarge(`takes more than ${timeMax / 1_000} s to read`);
      throw error;
    }
  }

  /**
   * Reads traces. On Postgres they are not looked at first where the whole table is too small to have too many, which took half
   * as long as adding them up.
   * @param traces `from trace where …`. @throws DomainError `range_too_large` like {@link read}.
   */
  readTraces<Row>(traces: Sql, query: Query<Row>, options: LongReadOptions): Promise<Row[]> {
    const bytes = this.limits.analyticsScanRows * TRACE_BYTES_MIN;
    const isLarge = onPostgres(sql` and (select pg_relation_size('trace')) > ${bytes}`);
    return this.read(sql`select 1 as one ${traces}${isLarge}`, query, options);
  }
}

/** @param what what the range has or does: `has more than 5 rows to read`. */
export const rangeTooLarge = (what: string): DomainError =>
  new DomainError(
    'range_too_large',
    `the range ${what}; choose a later since or an earlier until, or more filters, such as a model or a user (limits.analytics_scan_rows and limits.analytics_scan_seconds set how much may be read)`,
  );
