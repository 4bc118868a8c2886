import type { Scope } from '@spandrel/kernel';
import {
  integer,
  joinSql,
  plannedOnce,
  rawSql,
  shapeOf,
  takeFittingIds,
  text,
  type LongReadOptions,
  type Query,
  type Storage,
} from '@spandrel/storage';
import { ASKED_AT, byIds } from './span-places.sql.js';
import type { StoredSpan } from './span.entity.js';
import { SPAN_COLUMNS } from './tables.js';

/** Payload that one read brings into memory, about; twice that where texts are not ASCII. */
const PAYLOAD_BYTES = 32 * 1024 * 1024;

/** Bytes of a payload row, told without reading the texts themselves. */
export const PAYLOAD_SIZE = joinSql(
  ['kind', 'input', 'output', 'metadata', 'error'].map((column) => rawSql(`coalesce(octet_length(${column}), 0)`)),
  ' + ',
);

const SIZED = shapeOf({ id: text(), bytes: integer() });

/**
 * Whole spans, in any order: as many from the first id on as fit into memory together, at least one. One statement on Postgres;
 * SQLite would read the texts of all of them to add up their sizes beside them.
 * @param bytesMax of their payloads.
 */
export async function fittingSpans(
  storage: Pick<Storage, 'dialect' | 'readLong'>,
  scope: Scope,
  ids: readonly string[],
  options: LongReadOptions,
  bytesMax = PAYLOAD_BYTES,
): Promise<StoredSpan[]> {
  if (storage.dialect === 'postgres') return storage.readLong(fittingOnPostgres(scope, ids, bytesMax), options);
  const sizes = await storage.readLong(
    SIZED.query`select p.span_id as id, ${PAYLOAD_SIZE} as bytes from ${byIds(scope, ids, 'p')}`,
    options,
  );
  const fitting = takeFittingIds(ids, sizes, bytesMax);
  return storage.readLong(SPAN_COLUMNS.query`select ${SPAN_COLUMNS} from ${byIds(scope, fitting, 'both')}`, options);
}

/** Postgres knows the size of a text that it has not read. */
const fittingOnPostgres = (scope: Scope, ids: readonly string[], bytesMax: number): Query<StoredSpan> =>
  plannedOnce(
    SPAN_COLUMNS.query`select ${OF_FITTING} from (
        select ${SPAN_COLUMNS}, ${PAYLOAD_SIZE} as bytes,
          sum(${PAYLOAD_SIZE}) over (order by ${ASKED_AT} rows unbounded preceding) as so_far
        from ${byIds(scope, ids, 'both')}
      ) f where f.so_far <= ${bytesMax} or f.so_far = f.bytes`,
  );

const OF_FITTING = rawSql(
  Object.keys(SPAN_COLUMNS.columns)
    .map((property) => `f."${property}"`)
    .join(', '),
);
