import type { Scope } from '@spandrel/kernel';
import {
  integer,
  rawSql,
  shapeOf,
  sql,
  type LongReadOptions,
  type RowOfShape,
  type Sql,
  type Storage,
} from '@spandrel/storage';
import { hasGrams } from './grams.sql.js';
import { SLICE_STATE } from './text-slice.entity.js';
import type { SliceRange } from './text-slice.store.js';

const ASKED = shapeOf({ startedFrom: integer(), startedUntil: integer(), spans: integer(), held: integer() });
const START = shapeOf({ startedAt: integer() });
const NUMBER = shapeOf({ number: integer() });

/** A slice that was asked for grams; `held` is 0 where its filter says that it has no text with all of them, else 1. */
export type AskedSlice = RowOfShape<typeof ASKED>;

/** The project whose slices are asked, and how to ask. */
export interface Asking {
  storage: Pick<Storage, 'readLong'>;
  scope: Scope;
  options: LongReadOptions;
}

/** The slices with a filter that have to do with a range of starts, oldest first, and what their filters say of grams. */
export function askedSlices(
  { storage, scope, options }: Asking,
  { startedFrom, startedUntil }: SliceRange,
  hashes: readonly number[],
): Promise<AskedSlice[]> {
  return storage.readLong(
    ASKED.query`select t.started_from as "startedFrom", t.started_until as "startedUntil", t.spans as spans,
      case when ${hasGrams('t.grams', hashes)} then 1 else 0 end as held
      from text_slice t where t.project_id = ${scope.projectId} and t.state = ${SLICE_STATE.filtered}
      and t.started_until > ${startedFrom} and t.started_from < ${startedUntil} order by t.started_from`,
    options,
  );
}

/** Up to `max` starts of late spans within a range, oldest first. */
export async function lateStarts(
  { storage, scope, options }: Asking,
  range: SliceRange,
  max: number,
): Promise<number[]> {
  const rows = await storage.readLong(
    START.query`select l.started_at as "startedAt" from text_late l where l.project_id = ${scope.projectId}
      and ${startsWithin('l.started_at', range)} order by l.started_at limit ${max}`,
    options,
  );
  return rows.map(({ startedAt }) => startedAt);
}

/** How many spans start within a range, up to `max`. */
export async function countStarts(
  { storage, scope, options }: Asking,
  range: SliceRange,
  max: number,
): Promise<number> {
  const [row] = await storage.readLong(
    NUMBER.query`select count(*) as number from (select 1 as one from span s where s.project_id = ${scope.projectId}
      and ${startsWithin('s.started_at', range)} limit ${max}) taken`,
    options,
  );
  return row!.number;
}

/** Whether a start is within a range. @param column of constant text. */
export const startsWithin = (column: string, { startedFrom, startedUntil }: SliceRange): Sql =>
  sql`${rawSql(column)} >= ${startedFrom} and ${rawSql(column)} < ${startedUntil}`;
