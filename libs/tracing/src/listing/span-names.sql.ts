import type { Scope } from '@spandrel/kernel';
import {
  betweenStarts,
  containsText,
  integer,
  plannedOnce,
  shapeOf,
  sql,
  text,
  type LongReadOptions,
  type Storage,
} from '@spandrel/storage';
import type { StartRange } from './span-query.js';

const NAME = shapeOf({ name: text(), number: integer() });

/** Distinct names looked through: one step in their index each. A project with more has its spans looked through. */
const NAMES_MAX = 2_000;
/** Matching names whose spans are read name by name; more of them are dense among the spans. */
const MATCHING_MAX = 64;

/**
 * The names of spans that contain a needle.
 * @returns `undefined` when there are many, or too many to be looked through.
 */
export async function findNames(
  storage: Pick<Storage, 'readLong'>,
  scope: Scope,
  needle: string,
  options: LongReadOptions,
  within?: StartRange,
): Promise<string[] | undefined> {
  const first = sql`select min(v.name) from span v where v.project_id = ${scope.projectId}${betweenStarts(
    'v.started_at',
    within?.from,
    within?.until,
  )}`;
  const rows = await storage.readLong(
    plannedOnce(NAME.query`with recursive names(name, number) as (
        select (${first}), 1
        union all
        select (${first} and v.name > names.name), names.number + 1
        from names where names.name is not null and names.number < ${NAMES_MAX}
      )
      select name, number from names
      where name is not null and (${containsText('name', needle)} or number = ${NAMES_MAX}) limit ${MATCHING_MAX + 1}`),
    options,
  );
  const looked = rows.length <= MATCHING_MAX && rows.every(({ number }) => number < NAMES_MAX);
  return looked ? rows.map(({ name }) => name) : undefined;
}
