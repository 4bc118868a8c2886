import { Injectable } from '@nestjs/common';
import { isStorableText, type ScoreFilter, type SortOrder } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  integer,
  joinSql,
  nullable,
  onPostgres,
  onSqlite,
  rawSql,
  shapeOf,
  sql,
  Storage,
  text,
  type Sql,
} from '@spandrel/storage';
import type { ScoredOrder, ScoredTargets } from '@spandrel/tracing';

const ID = shapeOf({ id: nullable(text()) });
const COUNT = shapeOf({ count: integer() });

/** Scores that are looked up beforehand; with more of them traces or spans are tested one by one, which fills a page as soon. */
const LOOKED_UP_MAX = 1_200;

/**
 * Where many scores meet each of several filters, the list is read by the one that fewest meet; they are counted as far as this.
 * On Postgres fewer of them are found by their values and sorted: in list order they may lie behind all others of their name,
 * which took 500 ms of 250,000.
 */
const COUNTED_MAX = 12_000;

/** Finds what has certain scores (docs/spec/scores.md#finding-by-scores). */
@Injectable()
export class ScoreFilterStore {
  constructor(private readonly storage: Storage) {}

  /** @returns `undefined` when nothing can match: a text that no column can hold. */
  async findTargets(
    scope: Scope,
    target: 'trace' | 'span',
    filters: readonly ScoreFilter[],
    order: SortOrder,
  ): Promise<ScoredTargets | undefined> {
    if (filters.some((filter) => !isStorableText(filter.name + ('label' in filter ? filter.label : ''))))
      return undefined;
    const { projectId } = scope;
    const [id, ofTarget] = [rawSql(`c.${target}_id`), rawSql(`${target === 'span' ? 's' : 't'}.id`)];
    let ids: ReadonlySet<string> | undefined;
    const conditions: Sql[] = [];
    const many: Omit<Meant, 'count'>[] = [];
    let few: Meant | undefined;
    for (const { name, by, conditions: own } of groupByScore(filters)) {
      const where = joinSql(
        [sql`c.project_id = ${projectId}`, sql`c.name = ${name}`, ...own.map(([has]) => has)],
        ' and ',
      );
      const rows = await this.storage.readLong(
        ID.query`select ${id} as id from ${byVerdict({ where, by })} limit ${LOOKED_UP_MAX + 1}`,
        scope,
      );
      const found = new Set(rows.flatMap((row) => row.id ?? []));
      if (rows.length <= LOOKED_UP_MAX) {
        ids = ids ? ids.intersection(found) : found;
        if (rows.length < (few?.count ?? Infinity)) few = { where, by, count: rows.length };
      } else {
        many.push({ where, by });
        const tested = joinSql([sql`c.name || '' = ${name}`, ...own.map(([, test]) => test)], ' and ');
        // Without statistics both databases take an index with all scores of the project, or of the name.
        const index = onSqlite(rawSql(` indexed by score_${target}`));
        conditions.push(sql`exists (select 1 from score c${index} where c.project_id = ${projectId} and ${id} = ${ofTarget}
          and ${tested} limit 1 offset 0)`);
      }
    }
    const isSorted = this.storage.dialect === 'postgres';
    if (ids)
      return { conditions, ids: [...ids], ...(isSorted && few && { order: inOrder(target, few, order, isSorted) }) };
    return { conditions, order: inOrder(target, await this.rarest(scope, many), order, isSorted) };
  }

  /** Several scores of one name count as the first of them in this order. */
  sortTargets(
    { projectId }: Scope,
    target: 'trace' | 'span',
    name: string,
    order: SortOrder,
    ids?: readonly string[],
  ): ScoredOrder {
    const id = `c.${target}_id`;
    const beyond = rawSql(order === 'asc' ? '<' : '>');
    const where = sql`c.project_id = ${projectId} and c.name = ${name} and c.value is not null and ${rawSql(id)} is not null
      and not exists (select 1 from score d where d.project_id = c.project_id and ${rawSql(`d.${target}_id`)} = ${rawSql(id)}
        and d.name || '' = ${name} and (d.value + 0 ${beyond} c.value or (d.value + 0 = c.value and d.id || '' < c.id)))`;
    // Scores of a few would lie anywhere among all of the name.
    const index = onSqlite(rawSql(` indexed by score_${ids ? target : 'value'}`));
    const meant = ids ? sql`${where} and ${anyOf(id, ids.filter(isStorableText))}` : where;
    return { from: sql`score c${index}`, where: meant, at: 'c.value', id };
  }

  /** The condition on scores that fewest meet. */
  private async rarest(scope: Scope, conditions: readonly Omit<Meant, 'count'>[]): Promise<Meant> {
    let rarest: Meant = { ...conditions[0]!, count: COUNTED_MAX };
    for (const one of conditions.length > 1 || this.storage.dialect === 'postgres' ? conditions : []) {
      const [row] = await this.storage.readLong(
        COUNT.query`select count(*) as count from (select 1 as one from ${byVerdict(one)} limit ${COUNTED_MAX}) taken`,
        scope,
      );
      if (row!.count < rarest.count) rarest = { ...one, count: row!.count };
    }
    return rarest;
  }
}

const ORDERS = {
  span: { index: 'score_name', at: 'c.target_at', id: 'c.span_id' },
  trace: { index: 'score_trace_start', at: 'c.trace_at', id: 'c.trace_id' },
} as const;

/**
 * Scores by the index that has what they say. Postgres takes names and values for independent, and so 5,000 of 250,000 for half
 * of these, which it looks for in the whole table, unless it is to have them in the order of that index.
 */
const byVerdict = ({ where, by }: Omit<Meant, 'count'>): Sql =>
  sql`score c where ${where}${onPostgres(rawSql(` order by c.${by}, c.span_id`))}`;

/** The scores that a condition takes, and how many they are, as far as they were counted. */
interface Meant {
  where: Sql;
  by: 'value' | 'label';
  count: number;
}

/** @param isSorted whether few scores are found by what they say, and sorted before anything else of them is tested. */
function inOrder(
  target: 'trace' | 'span',
  { where, by, count }: Meant,
  order: SortOrder,
  isSorted: boolean,
): ScoredOrder {
  const { index, at, id } = ORDERS[target];
  const own = sql`${where} and ${rawSql(id)} is not null`;
  if (!isSorted || count >= COUNTED_MAX)
    return { from: sql`score c${onSqlite(rawSql(` indexed by ${index}`))}`, at, id, where: own };
  const columns = rawSql(`${at}, ${id}`);
  const from = sql`(select distinct ${columns} from (select ${columns} from ${byVerdict({ where: own, by })} limit ${rawSql(String(COUNTED_MAX))}) c
    order by ${rawSql(`${at} ${order}, ${id} ${order}`)} offset 0) c`;
  return { from, at, id, where: rawSql('1 = 1') };
}

/** A condition in a form that an index on it serves, and in one that leaves the index to the target. */
type Condition = readonly [indexed: Sql, unindexed: Sql];

/** The conditions that one score must meet: bounds of one name are a range, each label is a score of its own. */
function groupByScore(filters: readonly ScoreFilter[]): { name: string; by: Meant['by']; conditions: Condition[] }[] {
  const ranges = new Map<string, Condition[]>();
  const labels: { name: string; by: Meant['by']; conditions: Condition[] }[] = [];
  for (const filter of filters) {
    if ('label' in filter)
      labels.push({ name: filter.name, by: 'label', conditions: [conditionOn('label', '=', filter.label)] });
    else ranges.getOrInsertComputed(filter.name, () => []).push(conditionOn('value', filter.operator, filter.value));
  }
  return [...[...ranges].map(([name, conditions]) => ({ name, by: 'value' as const, conditions })), ...labels];
}

const conditionOn = (column: 'value' | 'label', operator: string, value: string | number): Condition => [
  sql`${rawSql(`c.${column} ${operator}`)} ${value}`,
  sql`${rawSql(column === 'value' ? 'c.value + 0' : "c.label || ''")} ${rawSql(operator)} ${value}`,
];
