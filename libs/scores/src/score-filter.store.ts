import { Injectable } from '@nestjs/common';
import { isStorableText, type ScoreFilter, type SortOrder } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import { integer, joinSql, nullable, onSqlite, rawSql, shapeOf, sql, Storage, text, type Sql } from '@spandrel/storage';
import type { ScoredOrder, ScoredTargets } from '@spandrel/tracing';

const ID = shapeOf({ id: nullable(text()) });
const COUNT = shapeOf({ count: integer() });

/** Scores that are looked up beforehand; with more of them traces or spans are tested one by one, which fills a page as soon. */
const LOOKED_UP_MAX = 1_200;

/** Where many scores meet each of several filters, the list is read by the one that fewest meet; they are counted as far as this. */
const COUNTED_MAX = 20_000;

/** Finds what has certain scores (docs/spec/scores.md#finding-by-scores). */
@Injectable()
export class ScoreFilterStore {
  constructor(private readonly storage: Storage) {}

  /** @returns `undefined` when nothing can match: a text that no column can hold. */
  async findTargets(
    scope: Scope,
    target: 'trace' | 'span',
    filters: readonly ScoreFilter[],
  ): Promise<ScoredTargets | undefined> {
    if (filters.some((filter) => !isStorableText(filter.name + ('label' in filter ? filter.label : ''))))
      return undefined;
    const { projectId } = scope;
    const [id, ofTarget] = [rawSql(`c.${target}_id`), rawSql(`${target === 'span' ? 's' : 't'}.id`)];
    let ids: ReadonlySet<string> | undefined;
    const conditions: Sql[] = [];
    const many: Sql[] = [];
    for (const { name, conditions: own } of groupByScore(filters)) {
      const where = joinSql(
        [sql`c.project_id = ${projectId}`, sql`c.name = ${name}`, ...own.map(([has]) => has)],
        ' and ',
      );
      const rows = await this.storage.readLong(
        ID.query`select ${id} as id from score c where ${where} limit ${LOOKED_UP_MAX + 1}`,
        scope,
      );
      const found = new Set(rows.flatMap((row) => row.id ?? []));
      if (rows.length <= LOOKED_UP_MAX) ids = ids ? ids.intersection(found) : found;
      else {
        many.push(where);
        const tested = joinSql([sql`c.name || '' = ${name}`, ...own.map(([, test]) => test)], ' and ');
        // Without statistics both databases take an index with all scores of the project, or of the name.
        const by = onSqlite(rawSql(` indexed by score_${target}`));
        conditions.push(sql`exists (select 1 from score c${by} where c.project_id = ${projectId} and ${id} = ${ofTarget}
          and ${tested} limit 1 offset 0)`);
      }
    }
    return { conditions, ...(ids ? { ids: [...ids] } : { order: orderOf(target, await this.rarest(scope, many)) }) };
  }

  /** Several scores of one name count as the first of them in this order. */
  sortTargets({ projectId }: Scope, target: 'trace' | 'span', name: string, order: SortOrder): ScoredOrder {
    const id = `c.${target}_id`;
    const beyond = rawSql(order === 'asc' ? '<' : '>');
    const where = sql`c.project_id = ${projectId} and c.name = ${name} and c.value is not null and ${rawSql(id)} is not null
      and not exists (select 1 from score d where d.project_id = c.project_id and ${rawSql(`d.${target}_id`)} = ${rawSql(id)}
        and d.name || '' = ${name} and (d.value + 0 ${beyond} c.value or (d.value + 0 = c.value and d.id || '' < c.id)))`;
    return { from: sql`score c${onSqlite(rawSql(' indexed by score_value'))}`, where, at: 'c.value', id };
  }

  /** The condition on scores that fewest meet. */
  private async rarest(scope: Scope, conditions: readonly Sql[]): Promise<Sql> {
    let rarest = { where: conditions[0]!, count: Infinity };
    for (const where of conditions.length > 1 ? conditions : []) {
      const [row] = await this.storage.readLong(
        COUNT.query`select count(*) as count from (select 1 as one from score c where ${where} limit ${COUNTED_MAX}) taken`,
        scope,
      );
      if (row!.count < rarest.count) rarest = { where, count: row!.count };
    }
    return rarest.where;
  }
}

const ORDERS = {
  span: { index: 'score_name', at: 'c.target_at', id: 'c.span_id' },
  trace: { index: 'score_trace_start', at: 'c.trace_at', id: 'c.trace_id' },
} as const;

function orderOf(target: 'trace' | 'span', where: Sql): ScoredOrder {
  const { index, at, id } = ORDERS[target];
  const from = sql`score c${onSqlite(rawSql(` indexed by ${index}`))}`;
  return { from, at, id, where: sql`${where} and ${rawSql(id)} is not null` };
}

/** A condition in a form that an index on it serves, and in one that leaves the index to the target. */
type Condition = readonly [indexed: Sql, unindexed: Sql];

/** The conditions that one score must meet: bounds of one name are a range, each label is a score of its own. */
function groupByScore(filters: readonly ScoreFilter[]): { name: string; conditions: Condition[] }[] {
  const ranges = new Map<string, Condition[]>();
  const labels: { name: string; conditions: Condition[] }[] = [];
  for (const filter of filters) {
    if ('label' in filter) labels.push({ name: filter.name, conditions: [conditionOn('label', '=', filter.label)] });
    else ranges.getOrInsertComputed(filter.name, () => []).push(conditionOn('value', filter.operator, filter.value));
  }
  return [...[...ranges].map(([name, conditions]) => ({ name, conditions })), ...labels];
}

const conditionOn = (column: 'value' | 'label', operator: string, value: string | number): Condition => [
  sql`${rawSql(`c.${column} ${operator}`)} ${value}`,
  sql`${rawSql(column === 'value' ? 'c.value + 0' : "c.label || ''")} ${rawSql(operator)} ${value}`,
];
