import { Injectable } from '@nestjs/common';
import { isStorableText, type FacetName, type ListFacets } from '@spandrel/contract';
import { invalidRequest, type Scope } from '@spandrel/kernel';
import {
  betweenStarts,
  compareTexts,
  dayOf,
  dayStart,
  decodeCursor,
  encodeCursor,
  integer,
  plannedOnce,
  rawSql,
  shapeOf,
  sql,
  startedIn,
  Storage,
  text,
  type Page,
  type Query,
  type Sql,
} from '@spandrel/storage';
import { MetadataIndex } from '../metadata/metadata-index.store.js';

/** Values looked at for a page: one step in their index each. A page ends there, with a cursor. */
const STEPS_MAX = 2_000;
/** Traces whose names are looked at: no index has them. */
const NAMED_TRACES_MAX = 5_000;

const VALUE = shapeOf({ value: text() });
const STEP = VALUE.and(shapeOf({ number: integer(), inside: integer() }));

/** Where values stand that an index has in order, followed by the start. */
interface FacetColumn {
  table: 'span' | 'trace' | 'trace_tag';
  column: string;
}

const COLUMNS: Record<Exclude<FacetName, 'trace_name'>, FacetColumn> = {
  model: { table: 'span', column: 'model' },
  provider: { table: 'span', column: 'provider' },
  kind: { table: 'span', column: 'kind_type' },
  span_name: { table: 'span', column: 'name' },
  tag: { table: 'trace_tag', column: 'tag' },
  user: { table: 'trace', column: 'user_id' },
  session: { table: 'trace', column: 'session_id' },
};

const METADATA = 'metadata.';

/** `GET /api/facets`: the values that there are, in order, found by steps in their indexes and never by a scan. */
@Injectable()
export class FacetListStore {
  constructor(
    private readonly storage: Storage,
    private readonly metadata: MetadataIndex,
  ) {}

  /** @throws Invalid `invalid_cursor`, `validation_failed` for a key of metadata that has no index. */
  async list(scope: Scope, query: ListFacets): Promise<Page<string>> {
    const list = `facets:${query.of}`;
    const after = query.cursor === undefined ? undefined : String(decodeCursor(list, query.cursor, 'text').value);
    if (query.prefix !== undefined && !isStorableText(query.prefix)) return { items: [], nextCursor: null };
    const cursorAt = (value: string): string => encodeCursor(list, { value, id: '' });
    if (query.of === 'trace_name') {
      const rows = await this.storage.readLong(traceNames(scope, query, after), scope);
      const items = rows.slice(0, query.limit).map(({ value }) => value);
      return { items, nextCursor: rows.length > query.limit ? cursorAt(items.at(-1)!) : null };
    }
    const found = await Promise.all(
      this.columnsOf(query.of).map((column) =>
        this.storage.readLong(plannedOnce(steps(scope, query, column, after)), scope),
      ),
    );
    // Where one of several columns was not looked through, the page ends with what was.
    const ends = found.flatMap((rows) => {
      const last = rows.at(-1);
      return last && (last.number === STEPS_MAX || rows.length > query.limit) ? last.value : [];
    });
    const [end] = ends.toSorted(compareTexts);
    const values = new Set(found.flatMap((rows) => rows.flatMap(({ value, inside }) => (inside === 1 ? value : []))));
    const items = [...values]
      .toSorted(compareTexts)
      .filter((value) => end === undefined || compareTexts(value, end) <= 0);
    if (items.length > query.limit) {
      const page = items.slice(0, query.limit);
      return { items: page, nextCursor: cursorAt(page.at(-1)!) };
    }
    return { items, nextCursor: end === undefined ? null : cursorAt(end) };
  }

  private columnsOf(of: Exclude<ListFacets['of'], 'trace_name'>): FacetColumn[] {
    if (!of.startsWith(METADATA)) return [COLUMNS[of as keyof typeof COLUMNS]];
    const column = this.metadata.columnOf(of.slice(METADATA.length));
    if (column)
      return [
        { table: 'trace', column },
        { table: 'span', column },
      ];
    const message = `names a key that has no index, or none yet; tracing.indexed_metadata has those that do`;
    throw invalidRequest([{ path: 'of', message }]);
  }
}

/** The values behind one, each found from the one before; those inside the range of starts, and the last one looked at. */
function steps(
  scope: Scope,
  { since, until, prefix, limit }: ListFacets,
  { table, column }: FacetColumn,
  after: string | undefined,
): Query<{ value: string; number: number; inside: number }> {
  const [from, value] = [rawSql(table), rawSql(`v.${column}`)];
  // Whole days, by which Postgres leaves partitions out; a part of a day would be looked for within each value.
  const days =
    table === 'span'
      ? betweenStarts(
          'v.started_at',
          since === undefined ? undefined : dayStart(dayOf(since)),
          until === undefined ? undefined : dayStart(dayOf(until) + 1),
        )
      : sql``;
  const past = prefix === undefined ? sql`` : sql` and ${value} < ${pastPrefix(prefix)}`;
  const next = sql`select min(${value}) from ${from} v
    where v.project_id = ${scope.projectId} and ${value} is not null${days}${past}`;
  const inside =
    since === undefined && until === undefined
      ? sql`1 = 1`
      : sql`exists (select 1 from ${from} e where e.project_id = ${scope.projectId} and ${rawSql(`e.${column}`)} = facet.value
          ${startedIn('e.started_at', { since, until })})`;
  return STEP.query`with recursive facet(value, number) as (
      select (${next}${begun(value, prefix, after)}), 1
      union all
      select (${next} and ${value} > facet.value), facet.number + 1
      from facet where facet.value is not null and facet.number < ${rawSql(String(STEPS_MAX))}
    )
    select facet.value as value, facet.number as number, case when ${inside} then 1 else 0 end as inside
    from facet where facet.value is not null and (${inside} or facet.number = ${rawSql(String(STEPS_MAX))})
    order by facet.number limit ${limit + 1}`;
}

const traceNames = (
  scope: Scope,
  { since, until, prefix, limit }: ListFacets,
  after: string | undefined,
): Query<{ value: string }> => VALUE.query`select distinct v.name as value from (
    select t.name as name from trace t where t.project_id = ${scope.projectId}${startedIn('t.started_at', { since, until })}
    order by t.started_at desc, t.id desc limit ${NAMED_TRACES_MAX}
  ) v where v.name is not null${prefixed(rawSql('v.name'), prefix)}${
    after === undefined ? sql`` : sql` and v.name > ${after}`
  } order by v.name limit ${limit + 1}`;

/** No character sorts behind this one, with which no text goes on. */
const LAST_CHARACTER = '\u{10ffff}';

const pastPrefix = (prefix: string): string => prefix + LAST_CHARACTER;

/** Where the values of a page begin: one bound, as SQLite takes the first of two alone to its index (1.3 s for 20 users). */
function begun(value: Sql, prefix: string | undefined, after: string | undefined): Sql {
  const isWithin = after !== undefined && (prefix === undefined || compareTexts(after, prefix) >= 0);
  if (isWithin) return sql` and ${value} > ${after}`;
  return prefix === undefined ? sql`` : sql` and ${value} >= ${prefix}`;
}

/** Values that begin with a prefix, where there is one. */
export const prefixed = (value: Sql, prefix: string | undefined): Sql =>
  prefix === undefined ? sql`` : sql` and ${value} >= ${prefix} and ${value} < ${pastPrefix(prefix)}`;
