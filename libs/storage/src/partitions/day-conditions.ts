import { joinSql, rawSql, sql, type Sql } from '../statements/sql.js';

/** Length of a day; days are those of UTC, by their number since the epoch. */
export const DAY_MS = 86_400_000;

/** The day that a moment is in. @param epochMs also before the epoch. */
export const dayOf = (epochMs: number): number => Math.floor(epochMs / DAY_MS);

export const dayStart = (day: number): number => day * DAY_MS;

/** Arms of a condition; more of them become one range: planning with many takes longer than looking into all partitions. */
const RANGES_MAX = 4;

/**
 * The rows of a partitioned table that lie in some days: Postgres leaves all other partitions alone. Nothing on SQLite.
 */
const ofDays = (column: string, days: Iterable<number>): Sql => ({
  writeTo(target) {
    if (target.dialect === 'postgres') sql` and ${inRanges(rawSql(column), rangesOf(days))}`.writeTo(target);
  },
});

/** Exact starts in a condition; of more of them the days are named: before version 17 each is looked up with each id. */
const STARTS_MAX = 100;

/** A condition like {@link ofDays} for rows that start at given moments. */
export const atStarts = (column: string, starts: readonly number[]): Sql => ({
  writeTo(target) {
    if (target.dialect === 'sqlite') return;
    const distinct = [...new Set(starts)];
    // An empty list would make Postgres plan for all partitions: it does not see that none matters.
    if (distinct.length === 0 || distinct.length > STARTS_MAX) ofDays(column, distinct.map(dayOf)).writeTo(target);
    else sql` and ${rawSql(column)} = any(${`{${distinct.join(',')}}`}::bigint[])`.writeTo(target);
  },
});

/** A condition like {@link ofDays}, from a moment until before another one; `undefined` is no bound. */
export const betweenStarts = (column: string, from: number | undefined, until: number | undefined): Sql => ({
  writeTo(target) {
    if (target.dialect !== 'postgres') return;
    if (from !== undefined) sql` and ${rawSql(column)} >= ${from}`.writeTo(target);
    if (until !== undefined) sql` and ${rawSql(column)} < ${until}`.writeTo(target);
  },
});

export const onSqlite = (piece: Sql): Sql => ({
  writeTo(target) {
    if (target.dialect === 'sqlite') piece.writeTo(target);
  },
});

export const onPostgres = (piece: Sql): Sql => ({
  writeTo(target) {
    if (target.dialect === 'postgres') piece.writeTo(target);
  },
});

type Range = readonly [first: number, last: number];

function rangesOf(days: Iterable<number>): Range[] {
  const ranges: [number, number][] = [];
  for (const day of [...new Set(days)].toSorted((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last && last[1] + 1 === day) last[1] = day;
    else ranges.push([day, day]);
  }
  return ranges.length > RANGES_MAX ? [[ranges[0]![0], ranges.at(-1)![1]]] : ranges;
}

/** The number of ranges is rounded up, so that the statements stay few. */
function inRanges(column: Sql, ranges: readonly Range[]): Sql {
  if (ranges.length === 0) return rawSql('1 = 0');
  const padded = [...ranges];
  while (padded.length !== 2 ** Math.ceil(Math.log2(padded.length))) padded.push(padded.at(-1)!);
  const arms = padded.map(
    ([first, last]) => sql`(${column} >= ${dayStart(first)} and ${column} < ${dayStart(last + 1)})`,
  );
  return sql`(${joinSql(arms, ' or ')})`;
}
