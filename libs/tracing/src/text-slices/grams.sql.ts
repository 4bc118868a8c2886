import { joinSql, onPostgres, onSqlite, rawSql, sql, type Sql } from '@spandrel/storage';

/** For each bit of a byte, all bytes that have it, as hexadecimal text: SQLite has no function for a byte of a blob. */
const BYTES_WITH_BIT = Array.from({ length: 8 }, (_, bit) =>
  Buffer.from(Array.from({ length: 256 }, (_byte, value) => value).filter((value) => (value >>> bit) & 1)).toString(
    'hex',
  ),
);

/** The filter that hexadecimal text says, to be stored. */
export const gramsOfHex = (hex: string): Sql =>
  sql`${onSqlite(sql`unhex(${hex})`)}${onPostgres(sql`decode(${hex}, 'hex')`)}`;

/** A stored filter as hexadecimal text. @param column of constant text. */
export const hexOfGrams = (column: string): Sql =>
  sql`${onSqlite(rawSql(`lower(hex(${column}))`))}${onPostgres(rawSql(`encode(${column}, 'hex')`))}`;

/**
 * Whether a stored filter has the bits of some hashes (see `gram-filter.ts`). The database looks at single bytes, so that no
 * filter leaves it; on Postgres these are read without the rest of the column, which is stored as it is.
 */
export function hasGrams(column: string, hashes: readonly number[]): Sql {
  const grams = rawSql(column);
  const tests = hashes.map((hash) => {
    const [byte, bit] = [hash >>> 3, hash & 7];
    const ofSqlite = sql`instr(unhex(${BYTES_WITH_BIT[bit]!}), substr(${grams}, 1 + ${byte} % length(${grams}), 1)) > 0`;
    const ofPostgres = sql`get_byte(substring(${grams} from 1 + cast(${byte} as integer) % octet_length(${grams}) for 1), 0)
      & cast(${1 << bit} as integer) <> 0`;
    return sql`${onSqlite(ofSqlite)}${onPostgres(ofPostgres)}`;
  });
  return joinSql(tests, ' and ');
}
