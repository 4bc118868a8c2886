import { behind, joinSql, orderBy, rawSql, sql, upTo, type Part, type Position, type Sql } from '@spandrel/storage';
import { firstOf, walking, type Candidates, type SpanRead, type Walk } from './span-candidates.store.js';
import { statusIs, VALUES, type ValueName } from './span-filter.store.js';
import { STATUS } from '../status.js';
import { slotIs, slotsWith } from './slot-list.store.js';

/** Slots read at once: few at first, since the first ones as a rule hold the most of a page. */
const SLOTS_MIN = 4;
const SLOTS_MAX = 64;

/** A slot and the first of its spans that are left of the list. */
type Head = Position & { slot: number };

/**
 * Spans sorted by a number, from an index that is sorted by it within a slot of time only: looks at the first span of
 * every slot, and reads the slots in the order of these, until the first of the next slot comes behind the whole page.
 */
export function byValue(read: SpanRead, name: ValueName, where: Sql): Candidates {
  const { sorting, storage, options } = read;
  const { order } = sorting;
  const isBefore = (a: Position, b: Position): boolean => {
    const [left, right] = order === 'asc' ? [a, b] : [b, a];
    return left.value === right.value ? left.id < right.id : left.value! < right.value!;
  };
  const inOrder = (a: Position, b: Position): number => (isBefore(a, b) ? -1 : 1);
  const valueless = walking(read, valuelessWalk(read, name, where));

  return async (part, from, count) => {
    if (part === 'valueless') return valueless(part, from, count);
    const heads = (await storage.readLong<Head>(headsOf(read, name, where, part, from), options)).toSorted(inOrder);
    let page: Position[] = [];
    for (let at = 0, size = SLOTS_MIN; at < heads.length; at += size, size = Math.min(size * 2, SLOTS_MAX)) {
      const last = page.length === count ? page.at(-1)! : undefined;
      const wanted = heads.slice(at, at + size).filter((head) => !last || isBefore(head, last));
      if (wanted.length === 0) break;
      const bounded = last ? sql`${where} and ${upTo(sorting, part, last)}` : where;
      const slots = wanted.map(({ slot }) => slotIs(slot));
      const rows = await storage.readLong<Position>(firstOf(sorting, bounded, slots, part, from, count), options);
      page = [...page, ...rows].toSorted(inOrder).slice(0, count);
    }
    return page;
  };
}

/** Spans without the number, by id: those without a duration run still, and are few; of the others there are many. */
const valuelessWalk = ({ sorting }: SpanRead, name: ValueName, where: Sql): Walk =>
  name === 'duration'
    ? { where: sql`${where} and ${statusIs('s', STATUS.running)}`, sorting: { ...sorting, unindexed: true } }
    : { where, sorting };

function headsOf(
  { scope, query, sorting, storage }: SpanRead,
  name: ValueName,
  where: Sql,
  part: Part,
  from?: Position,
): Sql {
  const { dialect } = storage;
  const value = rawSql(VALUES[name].column);
  const first = (columns: Sql): Sql => sql`select ${columns} from span s
    where ${joinSql([where, slotIs(rawSql('slots.slot')), behind(sorting, part, from)], ' and ')}
    order by ${orderBy(sorting, part)} limit 1`;
  const headOfSqlite = sql`select slots.slot as slot, h.${value} as value, h.id as id
    from slots join span h on h.project_id = ${scope.projectId} and h.id = (${first(rawSql('s.id'))})`;
  const headOfPostgres = sql`select slots.slot as slot, h.value as value, h.id as id
    from slots cross join lateral (${first(sql`s.${value} as value, s.id as id`)}) h`;
  return sql`${slotsWith(scope, query, name, 'desc', undefined)}
    ${dialect === 'sqlite' ? headOfSqlite : headOfPostgres}`;
}
