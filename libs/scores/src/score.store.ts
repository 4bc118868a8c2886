import { Injectable } from '@nestjs/common';
import { isStorableText, type ListScores, type ScoreSource } from '@spandrel/contract';
import { NotFound, type Scope } from '@spandrel/kernel';
import {
  anyOf,
  behind,
  deleteRows,
  fillPage,
  integer,
  joinSql,
  nullable,
  number,
  orderBy,
  ProjectRows,
  rawSql,
  readFitting,
  shapeOf,
  sql,
  startOf,
  Storage,
  text,
  type Page,
  type Sorting,
  type Sql,
  type WriteTx,
} from '@spandrel/storage';
import { keysOfTraces, type GoneIds } from '@spandrel/tracing';
import { ScoreRollupStore } from './score-rollup.store.js';
import { Score, scoreTable, type ScoreRow } from './score.entity.js';

const COLUMNS = scoreTable.select('c');
const SIZE = rawSql('octet_length(c.metadata) + octet_length(c.revisions) + coalesce(octet_length(c.comment), 0)');

const SUM = shapeOf({
  id: text(),
  name: text(),
  label: nullable(text()),
  count: integer(),
  values: integer(),
  total: number(),
});

/** Names and labels that the sums of a page distinguish at most; further ones are in none. */
const SUMS_MAX = 20_000;

/** A score as what asks for another judgement looks at it. */
const GIVEN = scoreTable.select('c', ['traceId', 'spanId', 'sessionId', 'name', 'source', 'value', 'label']);
export type GivenScore = Pick<ScoreRow, 'traceId' | 'spanId' | 'sessionId' | 'name' | 'source' | 'value' | 'label'>;

const AWAITING = shapeOf({ id: text() });

const NEWEST_FIRST: Sorting = {
  ...{ list: 'scores', column: 'c.created_at', idColumn: 'c.id', type: 'integer', nullable: false, order: 'desc' },
};

/** When a span began, its model, and whether it has only just arrived. */
export interface Start {
  startedAt: number;
  model: string | null;
  isNew: boolean;
}

const SUMMED = ['name', 'value', 'label', 'source', 'model', 'targetAt'] as const;

export const scoreNotFound = (): NotFound => new NotFound('score_not_found', 'there is no score with this id');

/** Rows of scores. What is changed of one that was found for a write is written with the transaction. */
@Injectable()
export class ScoreStore extends ProjectRows<ScoreRow> {
  constructor(
    storage: Storage,
    private readonly rollups: ScoreRollupStore,
  ) {
    super(storage, { entity: Score, table: scoreTable, list: 'scores', notFound: scoreNotFound });
  }

  async insert(tx: WriteTx, scores: readonly ScoreRow[]): Promise<void> {
    if (scores.length === 0) return;
    await tx.em.insertMany(Score, [...scores]);
    await this.rollups.apply(
      tx,
      scores.map((after) => ({ after })),
    );
  }

  /** Brings the sums up to date with scores that were found for a write and changed. @param before as they were found. */
  async update(tx: WriteTx, changes: readonly { before: ScoreRow; after: ScoreRow }[]): Promise<void> {
    // A comment or an author is in no sum.
    const counted = changes.filter(({ before, after }) => SUMMED.some((member) => before[member] !== after[member]));
    await this.rollups.apply(tx, counted);
  }

  /**
   * Keeps the order of scores that of what they are about.
   * @param spans when spans began that were stored in this transaction, or begin otherwise now. @param traces likewise.
   */
  async follow(tx: WriteTx, scope: Scope, spans: ReadonlyMap<string, Start>, traces: ReadonlyMap<string, number>) {
    const isAwaited =
      spans.size > 0 &&
      (
        await tx.all(AWAITING.query`select c.id as id from score c
      where c.project_id = ${scope.projectId} and c.is_awaiting = 1 limit 1`)
      ).length > 0;
    const asked = [...spans].flatMap(([id, { isNew }]) => (isAwaited || !isNew ? [id] : []));
    if (asked.length === 0 && traces.size === 0) return;
    const found = await tx.all(
      AWAITING.query`select c.id as id from score c where c.project_id = ${scope.projectId} and ${anyOf('c.span_id', asked)}
        union select c.id from score c where c.project_id = ${scope.projectId} and ${anyOf('c.trace_id', [...traces.keys()])}`,
    );
    if (found.length === 0) return;
    const scores = await this.findSomeForWrite(
      tx,
      scope,
      found.map(({ id }) => id),
    );
    const changes = scores.map((after) => ({ before: { ...after }, after }));
    for (const { after } of changes) {
      const span = spans.get(after.spanId ?? '');
      after.traceAt = traces.get(after.traceId ?? '') ?? after.traceAt;
      if (span) Object.assign(after, { targetAt: span.startedAt, isAwaiting: 0, model: after.model ?? span.model });
      else if (after.spanId === null || after.isAwaiting === 1) after.targetAt = after.traceAt!;
    }
    await this.update(tx, changes);
  }

  /** Scores of a name that neither a rule nor a judge gave, of traces with their spans and of sessions. */
  findGiven(
    tx: WriteTx,
    { projectId }: Scope,
    name: string,
    traceIds: readonly string[],
    sessionIds: readonly string[],
  ): Promise<GivenScore[]> {
    const of = (column: string, ids: readonly string[]) =>
      sql`select ${GIVEN} from score c where c.project_id = ${projectId} and ${anyOf(column, ids)}
        and c.name || '' = ${name} and c.source <> 'judge' and c.rule_id is null`;
    return tx.all(GIVEN.query`${of('c.trace_id', traceIds)} union all ${of('c.session_id', sessionIds)}`);
  }

  async delete(tx: WriteTx, score: ScoreRow): Promise<void> {
    tx.em.remove(score);
    await this.rollups.apply(tx, [{ before: score }]);
  }

  /** @throws Invalid `invalid_cursor`. */
  override list(scope: Scope, query: ListScores): Promise<Page<ScoreRow>> {
    const from = startOf(NEWEST_FIRST, query.cursor);
    const conditions = conditionsOf(scope, query);
    if (!conditions) return Promise.resolve({ items: [], nextCursor: null });
    return fillPage(
      NEWEST_FIRST,
      from,
      query.limit,
      (part, start, count) =>
        readFitting(COLUMNS, SIZE, count, (columns, some) =>
          this.storage.readLong(
            columns.query`select ${columns} from score c where ${conditions} and ${behind(NEWEST_FIRST, part, start)}
            order by ${orderBy(NEWEST_FIRST, part)} limit ${some}`,
            scope,
          ),
        ),
      ({ createdAt, id }) => ({ value: createdAt, id }),
    );
  }

  /** What scores of traces, those of their spans among them, or of spans come to: a row for each id, name and label. */
  sumBy(scope: Scope, target: 'trace' | 'span' | 'session', ids: readonly string[], source?: ScoreSource) {
    const id = `c.${target}_id`;
    const ofSource = source === undefined ? sql`` : sql` and c.source = ${source}`;
    const where = sql`c.project_id = ${scope.projectId} and ${anyOf(id, ids)}${ofSource}`;
    return this.sums(scope, rawSql(id), sql`score c where ${where}`);
  }

  /** What scores of the traces of users or sessions come to, of traces that began within a range: rows as {@link sumBy} has them. */
  sumByKey(
    scope: Scope,
    by: 'user' | 'session',
    keys: readonly string[],
    { since, until }: { since?: number | undefined; until?: number | undefined },
  ) {
    const range = [
      ...(since === undefined ? [] : [sql`c.trace_at >= ${since}`]),
      ...(until === undefined ? [] : [sql`c.trace_at < ${until}`]),
    ];
    const where = joinSql([sql`c.project_id = ${scope.projectId}`, ...range], ' and ');
    const traces = sql`${keysOfTraces(scope, by)} and ${anyOf(`t.${by}_id`, keys)}`;
    const from = sql`(${traces}) k join score c on c.trace_id = k.trace_id where ${where}`;
    return this.sums(scope, rawSql('k.name'), from);
  }

  private sums(scope: Scope, id: Sql, from: Sql) {
    return this.storage.readLong(
      SUM.query`select ${id} as id, c.name as name, c.label as label, count(*) as count, count(c.value) as "values",
          coalesce(sum(c.value), 0.0) as total
        from ${from} group by ${id}, c.name, c.label order by ${id}, c.name, c.label limit ${SUMS_MAX}`,
      scope,
    );
  }

  /** Deletes the scores of traces, those of their spans among them, of spans and of sessions. */
  async deleteOf(tx: WriteTx, scope: Scope, { traceIds, spanIds, sessionIds }: GoneIds): Promise<void> {
    await this.deleteWhere(tx, scope, 'trace_id', traceIds);
    await this.deleteWhere(tx, scope, 'span_id', spanIds);
    await this.deleteWhere(tx, scope, 'session_id', sessionIds);
  }

  async deleteAll(tx: WriteTx, scope: Scope): Promise<void> {
    await deleteRows(tx, 'score', sql`project_id = ${scope.projectId}`);
    await this.rollups.deleteAll(tx, scope);
  }

  private async deleteWhere(tx: WriteTx, scope: Scope, column: string, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    const hours = await this.rollups.findKeys(tx, scope, anyOf(`c.${column}`, ids));
    if (hours.length === 0) return;
    await deleteRows(tx, 'score', sql`project_id = ${scope.projectId} and ${anyOf(column, ids)}`);
    await this.rollups.recount(tx, hours);
  }
}

const EQUALITIES = {
  trace_id: 'c.trace_id',
  span_id: 'c.span_id',
  session_id: 'c.session_id',
  name: 'c.name',
  source: 'c.source',
  author: 'c.author',
  rule_id: 'c.rule_id',
  label: 'c.label',
} as const;

/** @returns `undefined` when nothing can match: a text that no column can hold. */
function conditionsOf({ projectId }: Scope, query: ListScores): Sql | undefined {
  const conditions = [sql`c.project_id = ${projectId}`];
  for (const [filter, column] of Object.entries(EQUALITIES) as [keyof typeof EQUALITIES, string][]) {
    const wanted = query[filter];
    if (wanted === undefined) continue;
    if (!isStorableText(wanted)) return undefined;
    conditions.push(anyOf(column, [wanted]));
  }
  if (query.min_value !== undefined) conditions.push(sql`c.value >= ${query.min_value}`);
  if (query.max_value !== undefined) conditions.push(sql`c.value <= ${query.max_value}`);
  if (query.since !== undefined) conditions.push(sql`c.created_at >= ${query.since}`);
  if (query.until !== undefined) conditions.push(sql`c.created_at < ${query.until}`);
  return joinSql(conditions, ' and ');
}
