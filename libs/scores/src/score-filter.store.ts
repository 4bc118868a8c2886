import { Injectable } from '@nestjs/common';
import { getOrMake, isStorableText, type ScoreFilter, type SortOrder } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import {
  anyOf,
  integer,
  joinSql,
  nullable,
  onPostgres,
  onSqlite,
  plannedOnce,
  rawSql,
  shapeOf,
  sql,
  Storage,
  text,
  type Sql,
} from '@spandrel/storage';
import { inStarts, type ScoredOrder, type ScoredPage, type ScoredTargets } from '@spandrel/tracing';

const LOOKED_UP = shapeOf({ count: integer(), ids: text() });
const COUNT = shapeOf({ count: integer() });
const HEAD = shapeOf({ met: integer(), seen: integer(), first: nullable(integer()), last: nullable(integer()) });

/** Scores that are looked up beforehand; with more of them traces or spans are tested one by one, which fills a page as soon. */
const LOOKED_UP_MAX = 1_200;

/** Scores of a name, the first in list order, among which those that meet a condition are counted. */
const HEAD_MAX = 2_000;

/**
 * On Postgres scores that do not fill a page soon are counted as far as this, and fewer are found by their values and sorted:
 * in list order they may lie behind all others of their name, which took 500 ms of 250,000.
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
  ): Promise<ScoredTargets | undefined> {
    if (filters.some((filter) => !isStorableText(filter.name + ('label' in filter ? filter.label : ''))))
      return undefined;
    const { projectId } = scope;
    const [id, ofTarget] = [rawSql(`c.${target}_id`), rawSql(`${target === 'span' ? 's' : 't'}.id`)];
    const looked = await Promise.all(
      groupByScore(filters).map(async ({ name, by, conditions: own }) => {
        const meant = {
          ofName: sql`c.project_id = ${projectId} and c.name = ${name}`,
          by,
          verdict: joinSql(
            own.map(([has]) => has),
            ' and ',
          ),
        };
        const tested = joinSql([sql`c.name || '' = ${name}`, ...own.map(([, test]) => test)], ' and ');
        // Without statistics both databases take an index with all scores of the project, or of the name.
        const index = onSqlite(rawSql(` indexed by score_${target}`));
        const test = sql`exists (select 1 from score c${index} where c.project_id = ${projectId} and ${id} = ${ofTarget}
          and ${tested} limit 1 offset 0)`;
        return { ...meant, test, ...(await this.lookUp(scope, meant, id)) };
      }),
    );
    const [known, many] = [
      looked.filter(({ count }) => count <= LOOKED_UP_MAX),
      looked.filter(({ count }) => count > LOOKED_UP_MAX),
    ];
    const conditions = many.map(({ test }) => test);
    if (known.length === 0) return { conditions, order: (page) => this.orderOf(scope, target, many, page) };
    const ids = known.map(({ ids: own }) => new Set(own)).reduce((all, own) => all.intersection(own));
    const [few] = known.toSorted((a, b) => a.count - b.count);
    const fewest = this.storage.dialect === 'postgres' ? few : undefined;
    return { conditions, ids: [...ids], order: async (page) => fewest && sorted(target, fewest, page) };
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
    const ofName = sql`c.project_id = ${projectId} and c.name = ${name} and c.value is not null and ${rawSql(id)} is not null`;
    if (ids) {
      // Scores of a few would lie anywhere among all of the name: theirs are read by target, and each target's in one pass.
      const columns = rawSql(
        `${id}, ${order === 'asc' ? 'min' : 'max'}(c.value) as value, max(c.target_at) as target_at`,
      );
      const index = onSqlite(rawSql(` indexed by score_${target}`));
      // In this order before anything else of them is tested: a page is full after the first.
      const first = onPostgres(rawSql(` order by value ${order}, ${id} ${order} offset 0`));
      const from = sql`(select ${columns} from score c${index}
        where ${ofName} and ${anyOf(id, ids.filter(isStorableText))} group by ${rawSql(id)}${first}) c`;
      return { from, where: rawSql('1 = 1'), at: 'c.value', id };
    }
    const beyond = rawSql(order === 'asc' ? '<' : '>');
    const where = sql`${ofName}
      and not exists (select 1 from score d where d.project_id = c.project_id and ${rawSql(`d.${target}_id`)} = ${rawSql(id)}
        and d.name || '' = ${name} and (d.value + 0 ${beyond} c.value or (d.value + 0 = c.value and d.id || '' < c.id)))`;
    return { from: sql`score c${onSqlite(rawSql(' indexed by score_value'))}`, where, at: 'c.value', id };
  }

  /** The first scores that say something, in one row: ids by their thousand cost more than finding them. */
  private async lookUp(scope: Scope, meant: Meant, id: Sql): Promise<{ count: number; ids: string[] }> {
    const ids = sql`${onSqlite(rawSql('json_group_array(id)'))}${onPostgres(rawSql("coalesce(json_agg(id), '[]')::text"))}`;
    const [row] = await this.storage.readLong(
      // Without statistics Postgres sorts all scores of a label rather than reads the first in the order of its index.
      plannedOnce(LOOKED_UP.query`select count(*) as count, ${ids} as ids
        from (select ${id} as id from ${byVerdict(meant)} limit ${LOOKED_UP_MAX + 1}) c`),
      scope,
    );
    const found = (JSON.parse(row!.ids) as (string | null)[]).filter((one) => one !== null);
    return { count: row!.count, ids: found };
  }

  /** The scores that a page is read by: those that lie thinnest where it begins. */
  private async orderOf(
    scope: Scope,
    target: 'trace' | 'span',
    conditions: readonly Tested[],
    page: ScoredPage,
  ): Promise<ScoredOrder> {
    const isOnPostgres = this.storage.dialect === 'postgres';
    const by = (order: ScoredOrder, { test }: Tested): ScoredOrder => ({
      ...order,
      left: conditions.flatMap((one) => (one.test === test ? [] : one.test)),
    });
    if (conditions.length === 1 && !isOnPostgres) return by(walked(target, conditions[0]!), conditions[0]!);
    const heads = await Promise.all(conditions.map((one) => this.headOf(scope, target, one, page)));
    const start = Math.max(...heads.map(({ first }) => first ?? -Infinity));
    const density = ({ met, seen, last }: (typeof heads)[number]) => (seen < HEAD_MAX ? 0 : met / (1 + start - last!));
    const { met, seen, meant } = heads.toSorted((a, b) => density(a) - density(b))[0]!;
    if (!isOnPostgres || seen < HEAD_MAX || met > page.limit) return by(walked(target, meant), meant);
    const [row] = await this.storage.readLong(
      plannedOnce(
        COUNT.query`select count(*) as count from (select 1 as one from ${byVerdict(meant)} limit ${COUNTED_MAX}) taken`,
      ),
      scope,
    );
    return by(row!.count < COUNTED_MAX ? sorted(target, meant, page) : walked(target, meant), meant);
  }

  /** How many of the first scores of a name meet a condition, and where these lie: what is further on in the list is less. */
  private async headOf(scope: Scope, target: 'trace' | 'span', meant: Tested, page: ScoredPage) {
    const { index, at, id } = ORDERS[target];
    const where = inStarts({ where: sql`${meant.ofName} and ${rawSql(id)} is not null`, at }, page);
    const sign = rawSql(page.sort_order === 'desc' ? '' : '-');
    const [row] = await this.storage.readLong(
      HEAD.query`select count(*) as seen, count(case when ${meant.verdict} then 1 end) as met,
          max(${sign}c.began) as first, min(${sign}c.began) as last
        from (select ${rawSql(at)} as began, c.value, c.label from score c${onSqlite(rawSql(` indexed by ${index}`))}
          where ${where} order by ${rawSql(`${at} ${page.sort_order}, ${id} ${page.sort_order}`)} limit ${HEAD_MAX}) c`,
      scope,
    );
    return { ...row!, meant };
  }
}

const ORDERS = {
  span: { index: 'score_name', at: 'c.target_at', id: 'c.span_id' },
  trace: { index: 'score_trace_start', at: 'c.trace_at', id: 'c.trace_id' },
} as const;

/** The scores of a name that say something. */
interface Meant {
  ofName: Sql;
  verdict: Sql;
  by: 'value' | 'label';
}

/** What a filter asks for, with a condition on `trace t` or `span s`, by which these are tested one by one. */
interface Tested extends Meant {
  test: Sql;
}

/**
 * Scores by the index that has what they say. Postgres takes names and values for independent, and so 5,000 of 250,000 for half
 * of these, which it looks for in the whole table, unless it is to have them in the order of that index.
 */
const byVerdict = ({ ofName, verdict, by }: Meant): Sql =>
  sql`score c where ${ofName} and ${verdict}${onPostgres(rawSql(` order by c.${by}, c.span_id`))}`;

/** Scores by the index that is in list order. */
function walked(target: 'trace' | 'span', { ofName, verdict }: Meant): ScoredOrder {
  const { index, at, id } = ORDERS[target];
  const where = sql`${ofName} and ${verdict} and ${rawSql(id)} is not null`;
  return { from: sql`score c${onSqlite(rawSql(` indexed by ${index}`))}`, at, id, where };
}

/** Few scores: found by what they say, and sorted before anything else of them is tested. */
function sorted(
  target: 'trace' | 'span',
  meant: Meant,
  { sort_order: order }: Pick<ScoredPage, 'sort_order'>,
): ScoredOrder {
  const { at, id } = ORDERS[target];
  const columns = rawSql(`${at}, ${id}`);
  const own = { ...meant, verdict: sql`${meant.verdict} and ${rawSql(id)} is not null` };
  const from = sql`(select distinct ${columns} from (select ${columns} from ${byVerdict(own)} limit ${rawSql(String(COUNTED_MAX))}) c
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
    else getOrMake(ranges, filter.name, () => []).push(conditionOn('value', filter.operator, filter.value));
  }
  return [...[...ranges].map(([name, conditions]) => ({ name, by: 'value' as const, conditions })), ...labels];
}

const conditionOn = (column: 'value' | 'label', operator: string, value: string | number): Condition => [
  sql`${rawSql(`c.${column} ${operator}`)} ${value}`,
  sql`${rawSql(column === 'value' ? 'c.value + 0' : "c.label || ''")} ${rawSql(operator)} ${value}`,
];
