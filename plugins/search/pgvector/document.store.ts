import {
  refusal,
  type PluginLogger,
  type SearchDocument,
  type SearchFilters,
  type SearchHit,
  type SearchIndex,
  type SearchQuery,
  type SearchScope,
  searchTerms,
} from '@spandrel/plugin-api';
import pg from 'pg';
import { createTable, inTransaction } from './create-table.sql.js';

export interface DocumentStoreOptions {
  url: string;
  schema: string;
  dimensions: number;
  poolMax: number;
  logger: PluginLogger;
}

const CONNECT_TIMEOUT_MS = 5_000;
const STATEMENT_TIMEOUT_MS = 15_000;

/** Candidates that the vector index looks at first; it goes on from there until the limit is met (iterative scan). */
const CANDIDATES_MIN = 100;
const CANDIDATES_MAX = 1_000;

/** Data that no repetition makes right: bad values, and limits of the database. */
const REFUSED = /^(22|54)/;

const CONDITIONS: Record<keyof SearchFilters, (parameter: string) => string> = {
  trace_id: (value) => `trace_id = ${value}`,
  session_id: (value) => `session_id = ${value}`,
  kind: (value) => `kind = ${value}`,
  model: (value) => `model = ${value}`,
  provider: (value) => `provider = ${value}`,
  status: (value) => `status = ${value}`,
  tag: (value) => `${value} = any(tags)`,
  since: (value) => `started_at >= ${value}`,
  until: (value) => `started_at < ${value}`,
};

/** Documents in one table; connected to when first used, so that a database that is down does not stop the start. */
export class DocumentStore implements SearchIndex {
  private readonly pool: pg.Pool;
  private readonly table: string;
  private ready: Promise<void> | undefined;

  constructor(private readonly options: DocumentStoreOptions) {
    this.pool = new pg.Pool({
      connectionString: options.url,
      max: options.poolMax,
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      query_timeout: STATEMENT_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      application_name: 'spandrel-search',
    });
    this.pool.on('error', (error) => options.logger.warn('a connection was lost', { reason: error.message }));
    // One that is lent out reports its end itself; what was asked over it fails, and says so.
    this.pool.on('connect', (client) => client.on('error', () => undefined));
    this.table = `${options.schema}.document`;
  }

  async upsert({ projectId }: SearchScope, documents: readonly SearchDocument[]): Promise<void> {
    if (documents.length === 0) return;
    const rows = new Map(documents.map((document) => [document.id, this.rowOf(document)]));
    await this.run(
      `insert into ${this.table}
         (project_id, id, trace_id, session_id, kind, model, provider, status, tags, started_at, terms, embedding)
       select $1, r.id, r.trace_id, r.session_id, r.kind, r.model, r.provider, r.status, r.tags, r.started_at,
         r.terms::tsvector, r.embedding::halfvec
       from json_to_recordset($2::json) as r(id text, trace_id text, session_id text, kind text, model text,
         provider text, status text, tags text[], started_at bigint, terms text, embedding text)
       on conflict (project_id, id) do update set trace_id = excluded.trace_id, session_id = excluded.session_id,
         kind = excluded.kind, model = excluded.model, provider = excluded.provider, status = excluded.status,
         tags = excluded.tags, started_at = excluded.started_at, terms = excluded.terms,
         embedding = excluded.embedding`,
      [projectId, JSON.stringify([...rows.values()])],
    );
  }

  async remove({ projectId }: SearchScope, ids: readonly string[]): Promise<void> {
    if (ids.length === 0) return;
    await this.run(`delete from ${this.table} where project_id = $1 and id = any($2::text[])`, [projectId, ids]);
  }

  async removeTraces({ projectId }: SearchScope, traceIds: readonly string[]): Promise<void> {
    if (traceIds.length === 0) return;
    await this.run(`delete from ${this.table} where project_id = $1 and trace_id = any($2::text[])`, [
      projectId,
      traceIds,
    ]);
  }

  async clear({ projectId }: SearchScope): Promise<void> {
    await this.run(`delete from ${this.table} where project_id = $1`, [projectId]);
  }

  async clearSome({ projectId }: SearchScope, limit: number): Promise<number> {
    const [row] = await this.run<{ removed: number }>(
      `with gone as (delete from ${this.table} where ctid = any(array(
         select ctid from ${this.table} where project_id = $1 limit $2)) returning 1)
       select count(*)::integer as removed from gone`,
      [projectId, limit],
    );
    return row!.removed;
  }

  async query(scope: SearchScope, query: SearchQuery): Promise<SearchHit[]> {
    const hits = await (query.mode === 'text' ? this.byWords(scope, query) : this.byVector(scope, query));
    // A vector of zeros is near to nothing.
    return hits.filter(({ score }) => Number.isFinite(score));
  }

  async close(): Promise<void> {
    await this.pool.end();
  }

  private async byWords(scope: SearchScope, query: Extract<SearchQuery, { mode: 'text' }>): Promise<SearchHit[]> {
    const words = textQuery(query.text);
    if (words === undefined) return [];
    const { where, values } = conditionsOf(scope, query.filters, [words, query.limit]);
    return this.run(
      // 1: a long document is not better for having more words.
      `select id, ts_rank(terms, $1::tsquery, 1) as score from ${this.table}
       where terms @@ $1::tsquery and ${where} order by score desc, started_at desc, id limit $2`,
      values,
    );
  }

  private async byVector(scope: SearchScope, query: Extract<SearchQuery, { mode: 'vector' }>): Promise<SearchHit[]> {
    const { where, values } = conditionsOf(scope, query.filters, [this.vectorText(query.vector), query.limit]);
    const candidates = Math.min(Math.max(CANDIDATES_MIN, query.limit), CANDIDATES_MAX);
    const ask = async (client: pg.PoolClient): Promise<SearchHit[]> => {
      await client.query(
        `select set_config('hnsw.iterative_scan', 'strict_order', true), set_config('hnsw.ef_search', $1, true)`,
        [String(candidates)],
      );
      const { rows } = await client.query<SearchHit>(
        `select id, 1 - (embedding <=> $1::halfvec) as score from ${this.table}
         where embedding is not null and ${where} order by embedding <=> $1::halfvec limit $2`,
        values,
      );
      return rows;
    };
    return this.guarded(() => inTransaction(this.pool, ask));
  }

  private rowOf({ id, text, vector, fields }: SearchDocument): object {
    return { id, ...fields, terms: textVector(text), embedding: vector === undefined ? null : this.vectorText(vector) };
  }

  private vectorText(vector: readonly number[]): string {
    const { dimensions } = this.options;
    if (vector.length !== dimensions) {
      throw refusal(
        `a vector has ${vector.length} dimensions where the index has ${dimensions}: config dimensions of pgvector`,
      );
    }
    return `[${vector.join(',')}]`;
  }

  private run<Row extends pg.QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> {
    return this.guarded(async () => (await this.pool.query<Row>(text, values)).rows);
  }

  private async guarded<T>(work: () => Promise<T>): Promise<T> {
    this.ready ??= createTable(this.pool, this.options).catch((error: unknown) => {
      this.ready = undefined;
      throw error;
    });
    await this.ready;
    try {
      return await work();
    } catch (error) {
      const code = (error as { code?: unknown }).code;
      if (typeof code !== 'string' || !REFUSED.test(code)) throw error;
      throw refusal(`Postgres refuses it (${code})`, { cause: error });
    }
  }
}

/** The project, and every filter, as conditions on parameters behind the ones given. */
function conditionsOf(
  { projectId }: SearchScope,
  filters: SearchFilters,
  before: readonly unknown[] = [],
): { where: string; values: unknown[] } {
  const values: unknown[] = [...before, projectId];
  const conditions = [`project_id = $${values.length}`];
  for (const name of Object.keys(CONDITIONS) as (keyof SearchFilters)[]) {
    if (filters[name] === undefined) continue;
    values.push(filters[name]);
    conditions.push(CONDITIONS[name](`$${values.length}`));
  }
  return { where: conditions.join(' and '), values };
}

/** Limits of Postgres: the last position, and how many positions a word may have. */
const POSITION_MAX = 16_383;
const POSITIONS_MAX = 255;

/** Words of a query at most; more would only make it slow. */
const QUERY_TERMS_MAX = 32;

/** The words of a document as the text form of a `tsvector`, with their places: how often a word is there ranks it. */
function textVector(text: string): string {
  const places = new Map<string, number[]>();
  for (const [at, term] of searchTerms(text, 'document').entries()) {
    const known = places.get(term);
    if (!known) places.set(term, [Math.min(at + 1, POSITION_MAX)]);
    else if (known.length < POSITIONS_MAX && at < POSITION_MAX) known.push(at + 1);
  }
  return [...places].map(([term, at]) => `${quoted(term)}:${at.join(',')}`).join(' ');
}

/** A query for documents that have all words, as the text form of a `tsquery`; `undefined` when there is no word. */
function textQuery(text: string): string | undefined {
  const terms = [...new Set(searchTerms(text, 'query'))].slice(0, QUERY_TERMS_MAX);
  return terms.length === 0 ? undefined : terms.map(quoted).join(' & ');
}

/** Words hold letters, marks, digits and emoji alone; quoted all the same. */
const quoted = (term: string): string => `'${term.replace(/['\\]/g, '$&$&')}'`;
