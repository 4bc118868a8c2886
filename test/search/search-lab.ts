import { SearchSettings } from '@spandrel/search';
import { ConnectionsSettings } from '@spandrel/connections';
import type { PGlite } from '@electric-sql/pglite';
import { PGLiteSocketServer } from '@electric-sql/pglite-socket';
import type { FoundSpan, SearchAnswer } from '@spandrel/contract';
import type { Settings } from '@spandrel/kernel';
import { cloudApp, type CloudApp } from '../support/cloud-app.ts';
import { type Tenant } from '../support/tenant.ts';
import { createMigrated } from '../support/migrated-database.ts';
import { freePort } from '../support/ports.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { until } from '../support/spandrel.ts';
import { openVectorPostgres } from '../support/vector-postgres.ts';
import { DIMENSIONS, startFakeEmbeddings, type FakeEmbeddings } from './fake-embeddings.ts';

/** A search index in Postgres with pgvector that can be taken away, an endpoint for vectors, and servers on both. */
export class SearchLab {
  private constructor(
    private readonly postgres: TestPostgres,
    private readonly index: PGlite,
    private server: PGLiteSocketServer,
    readonly embeddings: FakeEmbeddings,
  ) {}

  private readonly apps = new Set<CloudApp>();
  private databases = 0;

  static async open(): Promise<SearchLab> {
    const [postgres, index, embeddings] = await Promise.all([
      startPostgres(),
      openVectorPostgres(),
      startFakeEmbeddings(),
    ]);
    // A port that nobody else is given while the index is away.
    const server = new PGLiteSocketServer({ db: index, port: await freePort(), host: '127.0.0.1', maxConnections: 16 });
    await server.start();
    return new SearchLab(postgres, index, server, embeddings);
  }

  /** An empty database, and a schema of the index to go with it. */
  async newDatabase(): Promise<{ url: string; schema: string }> {
    const name = `search_${++this.databases}`;
    return { url: await createMigrated(this.postgres, name), schema: name };
  }

  /** Starts a server. */
  async start({ url, schema }: { url: string; schema: string }, change?: (settings: Settings) => void) {
    const app = await cloudApp(url, {
      settings: (settings) => {
        settings.of(SearchSettings).index = 'pgvector';
        settings.of(ConnectionsSettings).allowPrivate = ['127.0.0.1'];
        settings.core.plugins = [
          ...settings.core.plugins,
          { use: 'pgvector', config: { url: this.indexUrl, schema, dimensions: DIMENSIONS, pool_max: 1 } },
        ];
        change?.(settings);
      },
    });
    this.apps.add(app);
    return app;
  }

  async stop(app: CloudApp): Promise<void> {
    this.apps.delete(app);
    await app.close();
  }

  get indexUrl(): string {
    return `postgres://postgres@${this.server.getServerConn()}/postgres`;
  }

  /** The index answers nobody until the function that is returned is called. */
  async takeIndexAway(): Promise<() => Promise<void>> {
    const port = Number(this.server.getServerConn().split(':')[1]);
    await this.server.stop();
    return async () => {
      this.server = new PGLiteSocketServer({ db: this.index, port, host: '127.0.0.1', maxConnections: 16 });
      await this.server.start();
    };
  }

  /** What the index holds of a project, whatever a search would show. */
  async indexed(schema: string, projectId: string): Promise<{ id: string; has_vector: boolean }[]> {
    const { rows } = await this.index.query<{ id: string; has_vector: boolean }>(
      `select id, embedding is not null as has_vector from ${schema}.document where project_id = $1 order by id`,
      [projectId],
    );
    return rows;
  }

  /** Every row of the index in full, as JSON. */
  async contents(schema: string): Promise<string[]> {
    const { rows } = await this.index.query<{ row: string }>(
      `select to_jsonb(d)::text as row from ${schema}.document d`,
    );
    return rows.map(({ row }) => row);
  }

  /** Puts a document into the index that no span is. */
  async plant(schema: string, projectId: string, id: string, traceId: string): Promise<void> {
    await this.index.query(
      `insert into ${schema}.document values ($1, $2, $3, null, 'custom', null, null, 'completed', '{}', 0, '''planted''', null)
       on conflict (project_id, id) do update set terms = excluded.terms, trace_id = excluded.trace_id`,
      [projectId, id, traceId],
    );
  }

  /** Puts many documents into the index that no span is. */
  async fill(schema: string, projectId: string, count: number): Promise<void> {
    await this.index.query(
      `insert into ${schema}.document select $1, 'planted-' || n, 't', null, 'custom', null, null, 'completed', '{}', 0,
         '''planted''', null from generate_series(1, $2::int) n`,
      [projectId, count],
    );
  }

  async close(): Promise<void> {
    for (const app of this.apps) await app.close();
    await this.server.stop();
    await this.index.close();
    await this.embeddings.close();
    await this.postgres.stop();
  }
}

export interface Recorded {
  id: string;
  name?: string;
  trace?: string;
  input?: unknown;
  output?: unknown;
  kind?: Record<string, unknown>;
  startedAt?: string;
}

/** A tenant who records and searches. */
export class Searcher {
  constructor(readonly tenant: Tenant) {}

  get projectId(): string {
    return this.tenant.project.id;
  }

  async connect(url: string, model: string | null = 'embed-1'): Promise<void> {
    const connection = {
      name: 'embeddings',
      provider: 'custom',
      api_key: 'sk-embed',
      base_url: url,
      default_model: model,
    };
    const { status } = await this.tenant.api.post('/api/provider-connections', connection);
    if (status !== 201) throw new Error(`no connection: ${status}`);
  }

  /** Records finished spans, and their traces. */
  async record(...spans: Recorded[]): Promise<void> {
    const traces = [...new Set(spans.map(({ trace = 't' }) => trace))].map((id) => ({ id }));
    const body = {
      traces,
      spans: spans.map(({ id, name = 'step', trace = 't', input, output, kind = { type: 'custom' }, startedAt }) => ({
        id,
        trace_id: trace,
        name,
        kind,
        input: input ?? null,
        output: output ?? null,
        status: 'completed',
        started_at: startedAt ?? new Date(Date.now() - 1_000).toISOString(),
        ended_at: new Date().toISOString(),
      })),
    };
    const answer = await this.tenant.api.post<{ rejected: unknown[] }>('/api/ingest', body);
    if (answer.status !== 200 || answer.body.rejected.length > 0) {
      throw new Error(`not recorded: ${answer.status} ${JSON.stringify(answer.body)}`);
    }
  }

  search(body: Record<string, unknown>) {
    return this.tenant.api.post<SearchAnswer & { code: string; detail: string }>('/api/search', body);
  }

  /** The spans found. @throws when the search fails. */
  async spans(body: Record<string, unknown>): Promise<FoundSpan[]> {
    const answer = await this.search(body);
    if (answer.status !== 200) throw new Error(`no search: ${answer.status} ${answer.body.detail}`);
    return answer.body.spans;
  }

  /** Ids of the spans found, best first. */
  async find(query: string, more: Record<string, unknown> = {}): Promise<string[]> {
    return (await this.spans({ query, ...more })).map(({ id }) => id);
  }

  /** Waits until a search finds exactly these, in any order. */
  async findsSoon(query: string, ids: readonly string[], more: Record<string, unknown> = {}): Promise<void> {
    let last: string[] = [];
    const wanted = [...ids].sort().join();
    await until(
      async () => (last = (await this.find(query, more)).sort()).join() === wanted,
      10_000,
      () => `${query} ${JSON.stringify(more)} finds ${last.join()} and not ${wanted}`,
    );
  }
}
