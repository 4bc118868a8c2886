import { Injectable } from '@nestjs/common';
import {
  type ListTraces,
  type TimedTrace,
  type TraceFilters,
  isStorableText,
  type TraceSortKey,
} from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import {
  behind,
  fillPage,
  integer,
  number,
  orderBy,
  plannedOnce,
  positionShape,
  rawSql,
  shapeOf,
  startOf,
  Storage,
  upTo,
  type Page,
  type Part,
  type Position,
  type Sorting,
  type Sql,
  anyOf,
  containsText,
  joinSql,
  positionIn,
  sql,
  startedIn,
  text,
  unindexed,
} from '@spandrel/storage';
import { hasValues, mayHaveValues, tooMuchMetadata } from '../metadata/metadata-filter.sql.js';
import { MetadataIndex, type MetadataQuery } from '../metadata/metadata-index.store.js';
import { METADATA_COLUMNS } from '../metadata/metadata.entity.js';
import {
  inStarts,
  readOnce,
  resolveScores,
  resolveScoreSort,
  scoresOfPage,
  ScoresPort,
  type Scored,
  type ScoredOrder,
} from '../reading/scores-port.js';
import { ReadStorePort, unlessAway, type StoredList } from '../reading/read-store-port.js';
import { TraceLookups } from '../reading/trace-lookups.store.js';
import { statusName, STATUS } from '../span.entity.js';
import { TRACE_COLUMNS } from '../tables.js';
import { lengthOfTrace, type TraceRow } from '../trace.entity.js';
import { selectInListOrder } from './list-request.sql.js';
import { numberConditions, ofProject, statusIs } from './span-filter.sql.js';
import { drivenTraces, type DrivenTraces } from './trace-filter.sql.js';

const NUMBER = shapeOf({ number: integer() });
const TIMED = shapeOf({ began: integer(), status: integer() });

/** Traces that a filter without an index is tried on in list order, before all of them are read in the order of the table. */
const HEAD = 1_000;
/** All traces as they lie on SQLite: a third of the time that reading them by the index on their start takes. */
const TABLE_ORDER = rawSql('trace t not indexed');
const ALL = rawSql('1 = 1');

/** Whether a list has nothing that an index would find its traces by, and filters or sorts by what none has. */
const needsAllTraces = (query: ListTraces & MetadataQuery): boolean =>
  INDEXED.every((filter) => query[filter] === undefined) &&
  (query.sort_by !== 'started_at' || NOT_INDEXED.some((filter) => query[filter] !== undefined));
const INDEXED = [
  ...(['ids', 'session_id', 'user_id', 'tag', 'provider', 'status', 'since', 'until'] as const),
  ...METADATA_COLUMNS,
];
const NOT_INDEXED = ['name_contains', 'model', 'duration_min', 'duration_max', 'cost_min', 'tokens_min'] as const;

/** Whether a list is read by its scores: in start order, where no other filter has an index. */
const isByScores = (query: ListTraces & MetadataQuery): boolean =>
  query.sort_by === 'started_at' &&
  query.metadata === undefined &&
  INDEXED.every((filter) => filter === 'since' || filter === 'until' || query[filter] === undefined);

/** `GET /api/traces`: newest first unless sorted otherwise (docs/spec/traces.md#listing-traces). */
@Injectable()
export class TraceListStore {
  constructor(
    private readonly storage: Storage,
    private readonly scores: ScoresPort,
    private readonly metadata: MetadataIndex,
    private readonly readStore: ReadStorePort,
    private readonly traces: TraceLookups,
  ) {}

  /** @throws Invalid `invalid_cursor`, `validation_failed` for metadata without an index that too many traces may have. */
  async list(scope: Scope, given: ListTraces): Promise<Page<TraceRow>> {
    const query = this.metadata.split(given);
    const { sort_by: sortBy, sort_order: order } = query;
    const resolved = await resolveScores(this.scores, scope, 'trace', query);
    const byScore = resolveScoreSort(this.scores, scope, 'trace', query, resolved?.ids);
    const list = `traces:${sortBy}:${order}`;
    const scores = resolved && (byScore ?? (isByScores(resolved) ? await scoresOfPage(resolved, list) : undefined));
    const found =
      resolved && byScore !== null
        ? await findTraces(this.storage, scope, { ...resolved, scoreSort: byScore }, scores)
        : undefined;
    const start = { column: found?.startedAt ?? ALL_TRACES.startedAt, type: 'integer', nullable: false } as const;
    const scored = { column: 'c.value', type: 'number', nullable: false } as const;
    const sorted = sortBy === 'started_at' ? start : isTraceValue(sortBy) ? TRACE_VALUES[sortBy] : scored;
    const values = new Map<string, number>();
    const sorting: Sorting = {
      list,
      column: sorted.column,
      idColumn: found?.id ?? ALL_TRACES.id,
      type: sorted.type,
      nullable: sorted.nullable,
      order,
      unindexed: resolved?.ids !== undefined,
    };
    const from = startOf(sorting, query.cursor);
    if (!found) return { items: [], nextCursor: null };
    const select = (table: Sql, part: Part, position: Position | undefined, count: number, until: Sql) =>
      this.storage.readLong(
        TRACE_COLUMNS.query`select ${TRACE_COLUMNS} from ${table}
          where ${found.where} and ${behind(sorting, part, position)} and ${until}
          order by ${orderBy(sorting, part)} limit ${count}`,
        scope,
      );
    // What is known of a name that is new has Postgres read all its scores: 80 ms of 10,000.
    const readScores = (behindOf: Position | undefined, count: number) =>
      this.storage.readLong(
        plannedOnce(selectInListOrder(sorting, found.where, 'valued', behindOf, count, found.from)),
        scope,
      );
    let stored = await this.askStore(scope, resolved!);
    const scans = this.storage.dialect === 'sqlite' && !scores && needsAllTraces(resolved!);
    const positionOf = (trace: TraceRow): Position => ({
      value: isTraceValue(sortBy) ? TRACE_VALUES[sortBy].of(trace) : (values.get(trace.id) ?? trace.startedAt),
      id: trace.id,
    });
    return fillPage(
      sorting,
      from,
      query.limit,
      async (part, position, count) => {
        const listed =
          scores && !byScore
            ? await readOnce(position, count, readScores)
            : stored && (await unlessAway(() => stored!.find(part, position, count)));
        if (listed) {
          const traces = await this.traces.load(
            scope,
            listed.map(({ id }) => id),
          );
          const byId = new Map(traces.map((trace) => [trace.id, trace]));
          return { rows: listed.flatMap(({ id }) => byId.get(id) ?? []), cut: traces.length < listed.length };
        }
        stored = undefined;
        if (byScore) {
          const rows = await this.storage.readLong(
            SCORED_COLUMNS.query`select ${TRACE_COLUMNS}, c.value as "scoredValue" from ${found.from}
              where ${found.where} and ${behind(sorting, part, position)} order by ${orderBy(sorting, part)} limit ${count}`,
            scope,
          );
          for (const { id, scoredValue } of rows) values.set(id, scoredValue);
          return { rows };
        }
        if (!scans) return { rows: await select(found.from, part, position, count, ALL) };
        if (sortBy === 'started_at') {
          const head = await this.endOfHead(scope, sorting, position);
          const rows = await select(found.from, part, position, count, head ? upTo(sorting, part, head) : ALL);
          if (!head || rows.length === count) return { rows };
        }
        return { rows: await select(TABLE_ORDER, part, position, count, ALL) };
      },
      positionOf,
    );
  }

  private async find(scope: Scope, filters: TraceFilters): Promise<DrivenTraces | undefined> {
    const resolved = await resolveScores(this.scores, scope, 'trace', this.metadata.split(filters));
    return resolved && findTraces(this.storage, scope, resolved);
  }

  /** The last of the traces that are looked through in list order behind a position; `undefined` when there are fewer. */
  private async endOfHead(
    scope: Scope,
    sorting: Sorting,
    position: Position | undefined,
  ): Promise<Position | undefined> {
    const [end] = await this.storage.readLong(
      positionShape(sorting).query`select t.started_at as value, t.id as id from trace t
        where t.project_id = ${scope.projectId} and ${behind(sorting, 'valued', position)}
        order by ${orderBy(sorting, 'valued')} limit 1 offset ${HEAD}`,
      scope,
    );
    return end;
  }

  /** The read store's list, where the database would read all traces for it and can be asked for no more than columns hold. */
  private async askStore(scope: Scope, query: ListTraces & MetadataQuery & Scored): Promise<StoredList | undefined> {
    return needsAllTraces(query) ? this.readStore.registered?.tracesOf(scope, query) : undefined;
  }

  /** How many traces all filters take, up to one more than `max`. */
  async count(scope: Scope, filters: TraceFilters, max: number): Promise<number> {
    const asked = { ...this.metadata.split(filters), sort_by: 'started_at', sort_order: 'desc', limit: max } as const;
    const stored = filters.score?.length || !isStorable(asked) ? undefined : await this.askStore(scope, asked);
    const counted = stored && (await unlessAway(() => stored.count(max + 1)));
    if (counted !== undefined) return counted;
    const found = await this.find(scope, filters);
    if (!found) return 0;
    const [row] = await this.storage.readLong(
      NUMBER.query`select count(*) as number from
        (select 1 as one from ${found.from} where ${found.where} limit ${max + 1}) taken`,
      scope,
    );
    return row!.number;
  }

  /** When the newest traces that all filters take began, and their statuses; one more than `max` at most. */
  async listTimes(scope: Scope, filters: TraceFilters, max: number): Promise<TimedTrace[]> {
    const found = await this.find(scope, filters);
    if (!found) return [];
    const rows = await this.storage.readLong(
      TIMED.query`select ${rawSql(found.startedAt)} as began, t.status as status from ${found.from} where ${found.where}
        order by ${rawSql(found.startedAt)} desc limit ${max + 1}`,
      scope,
    );
    return rows.map(({ began, status }) => ({ at: began, status: statusName(status) }));
  }
}

const ID = shapeOf({ id: text() });
const WITH_METADATA = ID.and(shapeOf({ metadata: text() }));

/** Traces whose metadata are read, where no index has what is sought in them. */
const MAYBES_MAX = 20_000;

/** Spans of a provider that are looked up beforehand; with more of them its traces are met soon in list order. */
const SPANS_LOOKED_UP_MAX = 2_000;

const SCORED_COLUMNS = TRACE_COLUMNS.and(shapeOf({ scoredValue: number() }));

/** The traces of scores, in the order of these. */
const sortedByScores = (sort: ScoredOrder, driven: DrivenTraces | undefined): DrivenTraces => ({
  from: sql`${sort.from} cross join trace t`,
  where: sql`${sort.where} and t.id = ${rawSql(sort.id)}${
    driven ? sql` and t.id in (select ${rawSql(driven.id)} from ${driven.from} where ${driven.where})` : sql``
  }`,
  startedAt: 't.started_at',
  id: sort.id,
});

/** The traces of scores, in start order. */
const byScores = (order: ScoredOrder, filters: TraceFilters): DrivenTraces => ({
  from: sql`${order.from} cross join trace t`,
  where: sql`${inStarts(order, filters)} and t.id = ${rawSql(order.id)}`,
  startedAt: order.at,
  id: order.id,
});

const ALL_TRACES: DrivenTraces = {
  from: sql`trace t`,
  where: sql`1 = 1`,
  startedAt: 't.started_at',
  id: 't.id',
};

/** Whether columns can hold the texts that traces of these filters have. */
const isStorable = ({ name_contains: name, model, provider }: TraceFilters): boolean =>
  [name, model, provider].every((one) => isStorableText(one ?? ''));

/** The tables and conditions of some filters on traces; `undefined` when nothing can match. */
async function findTraces(
  storage: Pick<Storage, 'readLong'>,
  scope: Scope,
  filters: TraceFilters & MetadataQuery & Scored,
  order?: ScoredOrder,
): Promise<DrivenTraces | undefined> {
  if (!isStorable(filters)) return undefined;
  const driven = drivenTraces(scope, filters);
  if (driven === null) return undefined;
  const { scoreSort } = filters;
  // The scores are those of the ids already. With both, SQLite looks for each id once a score: 95 ms of 600.
  const conditions = [
    ...conditionsOf(scope, scoreSort ? { ...filters, ids: undefined } : filters),
    ...numberConditions(filters, (name) => rawSql(TRACE_VALUES[name].column)),
    ...(order?.left ?? filters.scored ?? []),
  ];
  if (filters.provider !== undefined) {
    conditions.push(await withProvider(storage, scope, filters.provider));
  }
  const { where, ...tables } = scoreSort
    ? sortedByScores(scoreSort, driven)
    : (driven ?? (order ? byScores(order, filters) : ALL_TRACES));
  const { metadata } = filters;
  if (metadata) {
    const all = joinSql([...conditions, where, mayHaveValues('t.metadata', metadata)], ' and ');
    const rows = await storage.readLong(
      WITH_METADATA.query`select t.id as id, t.metadata as metadata from ${tables.from} where ${all} limit ${MAYBES_MAX + 1}`,
      scope,
    );
    if (rows.length > MAYBES_MAX) throw tooMuchMetadata(metadata, `more than ${MAYBES_MAX} traces may have it`);
    const having = rows.filter((row) => hasValues(row.metadata, metadata));
    conditions.push(
      anyOf(
        't.id',
        having.map(({ id }) => id),
      ),
    );
  }
  return { ...tables, where: joinSql([...conditions, where], ' and ') };
}

function conditionsOf(scope: Scope, filters: TraceFilters & MetadataQuery): Sql[] {
  const conditions = [sql`${ofProject('t', scope, filters.ids)}${startedIn('t.started_at', filters)}`];
  if (filters.name_contains !== undefined) conditions.push(containsText('t.name', filters.name_contains));
  if (filters.status !== undefined) conditions.push(statusIs('t', STATUS[filters.status]));
  if (filters.model !== undefined) conditions.push(namesModel(filters.model));
  for (const column of METADATA_COLUMNS) {
    if (filters[column] !== undefined) conditions.push(sql`${rawSql(`t.${column}`)} = ${filters[column]}`);
  }
  return conditions;
}

/** The roll-up of a trace lists `["model",count]`; quotes within a name are escaped, so that this is found nowhere else. */
function namesModel(model: string): Sql {
  return sql`${positionIn(rawSql('t.models'), `[${JSON.stringify(model)},`)} > 0`;
}

/** No roll-up knows the providers of a trace: those of few spans are looked up, those of many are tested one by one. */
async function withProvider(storage: Pick<Storage, 'readLong'>, scope: Scope, provider: string): Promise<Sql> {
  const rows = await storage.readLong(
    ID.query`select s.trace_id as id from span s where s.project_id = ${scope.projectId} and s.provider = ${provider}
      limit ${SPANS_LOOKED_UP_MAX + 1}`,
    scope,
  );
  if (rows.length <= SPANS_LOOKED_UP_MAX) return anyOf('t.id', [...new Set(rows.map(({ id }) => id))]);
  return sql`exists (select 1 from span s where s.project_id = t.project_id and s.trace_id = t.id
    and ${unindexed('s.provider')} = ${provider} limit 1 offset 0)`;
}

/** A number by which traces are sorted and filtered: what its roll-up says, as the wire shows it. */
interface TraceValue extends Pick<Sorting, 'column' | 'type' | 'nullable'> {
  /** The value of a row, which is what `column` is for the database. */
  of(trace: TraceRow): number | null;
}

const LENGTH = 't.last_ended_at - t.started_at';

const isTraceValue = (name: string): name is keyof typeof TRACE_VALUES => Object.hasOwn(TRACE_VALUES, name);

/** The columns are expressions without an index: the traces of a project are few beside its spans. */
const TRACE_VALUES: Record<Exclude<TraceSortKey, 'started_at'>, TraceValue> = {
  duration: {
    column: `case when t.span_count > 0 and t.running_count = 0 then case when ${LENGTH} > 0 then ${LENGTH} else 0 end end`,
    type: 'integer',
    nullable: true,
    of: lengthOfTrace,
  },
  cost: {
    column: `case when t.cost_count > 0 then
      cast(t.cost_usd as double precision) + cast(t.cost_pico as double precision) / cast(1000000000000 as double precision) end`,
    type: 'number',
    nullable: true,
    of: ({ costCount, costUsd, costPico }) => (costCount === 0 ? null : costUsd + costPico / 1e12),
  },
  tokens: { column: 't.total_tokens', type: 'integer', nullable: false, of: ({ totalTokens }) => totalTokens },
  spans: { column: 't.span_count', type: 'integer', nullable: false, of: ({ spanCount }) => spanCount },
};
