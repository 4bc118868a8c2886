import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  READ_STORE_SORTS,
  READ_STORE_TRACE_SORTS,
  type PluginLogger,
  type ReadStore,
  type ReadStoreBatch,
  type ReadStoreListQuery,
  type ReadStorePosition,
  type ReadStoreQuery,
  type ReadStoreState,
  type ReadStoreSumQuery,
  type ReadStoreSums,
  type ReadStoreTraceListQuery,
  type ReadStoreTraceQuery,
  type ReadStoreDigest,
  type ReadStoreRange,
  type ReadStoreTexts,
  type ReadStoreTextsQuery,
} from '@spandrel/plugin-api';
import { clusterSettings, heldBy, inCluster, onCluster } from './cluster.sql.js';
import type { Engine } from './connect.js';
import {
  CAPABILITIES,
  countOf,
  digestOf,
  isOfProject,
  literal,
  literals,
  matchingSpans,
  matchingTraces,
  selectInOrder,
  textsOf,
  windowsOf,
} from './list.sql.js';
import { selectSums, sumsOfRow, type SumsTuple } from './sums.sql.js';
import { FORM, movedTo, OURS, TABLES, tablesOf, type ColdDisk } from './tables.sql.js';

interface StoreParts {
  engine: Engine;
  database: string;
  /** Name of a cluster over which tables are spread. */
  cluster: string | undefined;
  coldDisk: ColdDisk | undefined;
  timeoutMs: number;
  logger: PluginLogger;
}

const LOAD_SECONDS = 120;
/** What queries of the loader are called, so that those of a process that ended can be ended too. */
const LOADER = 'spandrel-loader';
/** How much longer than a statement may take its answer is waited for. */
const HANGS_SECONDS = 2;
const SETTINGS = {
  output_format_json_quote_64bit_integers: 0,
  // Columns are added up under their own names; a span that moved to another day went where it was.
  prefer_column_name_to_alias: 1,
  do_not_merge_across_partitions_select_final: 1,
  // Values are written into the statement: lists of ids are too long for parameters of an address.
  max_query_size: '134217728',
  max_ast_elements: '1000000',
  max_expanded_ast_elements: '10000000',
} as const;
const LOAD_SETTINGS = {
  // Tables of any size may be dropped.
  max_table_size_to_drop: '0',
  max_execution_time: LOAD_SECONDS,
  max_partitions_per_insert_block: '0',
  async_insert: 0,
  // chdb would wait until indexes are built.
  mutations_sync: '0',
} as const;
/**
 * Indexes of as many spans are built by merges: that of texts takes longer than all else of an insert. Parts without them are
 * read whole, so a smaller batch has its own built, and those that are left of large ones.
 */
const BULK_SPANS = 10_000;
/** In the background, for parts that have none. */
const BUILD_INDEXES = ['by_id', 'by_trace', 'by_text'].map((index) => `MATERIALIZE INDEX ${index}`).join(', ');

/** Spans in a ReplacingMergeTree, the newest version of each; what went is a newer version, too. */
export class ClickHouseStore implements ReadStore {
  readonly capabilities = CAPABILITIES;
  private queries = 0;
  private settings: object = SETTINGS;
  private hasBulk = false;
  /** The last batch that was written here; between others another loader was at it. */
  private last = -Infinity;
  private servers = 1;

  constructor(private readonly parts: StoreParts) {}

  /** @throws Error also where the tables that are there are not those of the cluster. */
  async open(): Promise<void> {
    const { database, cluster } = this.parts;
    if (cluster !== undefined) {
      const { replicas, servers } = await this.sizeOf(cluster);
      this.settings = { ...SETTINGS, ...clusterSettings(replicas) };
      this.servers = servers;
    }
    const spans = (await this.tables()).find(({ name }) => name === 'spans');
    if (spans && (spans.engine === 'Distributed') !== (cluster !== undefined))
      throw new Error(
        `config cluster: the database ${database} was made without it, or with it; name another database`,
      );
    if (await this.isWhole()) await this.moveOld();
  }

  async state(): Promise<ReadStoreState | null> {
    if (!(await this.isWhole())) return null;
    const [row] = await this.rows<ReadStoreState>(
      `SELECT content, max(batch) AS batch FROM ${this.parts.database}.loader GROUP BY content ORDER BY max(batch) DESC`,
      LOAD_SECONDS,
    );
    return row ?? null;
  }

  /** @throws Error also where there are tables of these names that are not ours. */
  async begin(content: string): Promise<void> {
    const { database, cluster } = this.parts;
    await this.endOthers();
    const other = (await this.tables()).find(({ comment }) => !comment.startsWith(OURS));
    if (other) throw new Error(`config database: ${database}.${other.name} is not Spandrel's; name another database`);
    const [create, ...rest] = this.statements(tablesOf(database));
    await this.command(create!);
    for (const name of this.names())
      await this.command(`DROP TABLE IF EXISTS ${database}.${name}${onCluster(cluster)} SYNC`);
    for (const statement of rest) await this.command(statement);
    await this.moveOld();
    await this.command(`INSERT INTO ${database}.loader VALUES (${literal(content)}, 0)`, `${content}-begun`);
  }

  async apply({ content, batch, removed, spans, traces }: ReadStoreBatch): Promise<void> {
    const { database } = this.parts;
    const isBulk = spans.length >= BULK_SPANS;
    if (batch !== this.last + 1) await this.takeOver();
    try {
      for (const { projectId, spans: ids, traces } of removed) {
        const which = [
          ...(ids.length > 0 ? [`id IN ${literals(ids)}`] : []),
          ...(traces.length > 0 ? [`trace_id IN ${literals(traces)}`] : []),
        ];
        // A version of what goes, in each place where it is; newer ones stay.
        for (const [at, condition] of which.entries()) {
          const statement = `INSERT INTO ${database}.spans
            (project_id, id, trace_id, name, kind, status, started_at, version, is_deleted)
            SELECT project_id, id, trace_id, '', '', '', started_at, ${2 * batch}, 1 FROM ${database}.spans FINAL
            WHERE ${isOfProject(projectId)} AND ${condition} AND version < ${2 * batch}`;
          await this.command(statement, `${content}-${batch}-${projectId}-${at}`);
        }
        if (traces.length === 0) continue;
        const statement = `INSERT INTO ${database}.traces (project_id, id, status, started_at, version, is_deleted)
          SELECT project_id, id, '', started_at, ${2 * batch}, 1 FROM ${database}.traces FINAL
          WHERE ${isOfProject(projectId)} AND id IN ${literals(traces)} AND version < ${2 * batch}`;
        await this.command(statement, `${content}-${batch}-${projectId}-traces`);
      }
      const version = 2 * batch + 1;
      const token = `${content}-${batch}`;
      const rowOf = (projectId: string, row: object) => ({ project_id: projectId, ...row, version });
      await this.insert('traces', traces, ({ projectId, trace }) => rowOf(projectId, trace), `${token}-traces`);
      await this.insert('spans', spans, ({ projectId, span }) => rowOf(projectId, span), token);
      await this.command(
        `INSERT INTO ${database}.loader VALUES (${literal(content)}, ${batch})`,
        `${content}-${batch}-had`,
      );
      if (this.hasBulk && !isBulk) await this.command(`ALTER TABLE ${this.held('spans')} ${BUILD_INDEXES}`);
      this.hasBulk = isBulk;
      this.last = batch;
    } catch (error) {
      // What did not answer may still be written: it must not come behind what is written next.
      await this.endOthers();
      throw error;
    }
  }

  async clear(projectId: string): Promise<void> {
    for (const table of ['spans', 'traces'])
      await this.command(`DELETE FROM ${this.held(table)} WHERE project_id = ${literal(projectId)}`);
  }

  async list(query: ReadStoreListQuery): Promise<ReadStorePosition[]> {
    const found: ReadStorePosition[] = [];
    for (const window of windowsOf(query, Date.now())) {
      const limit = query.limit - found.length;
      const rows = matchingSpans(this.parts.database, window);
      found.push(...(await this.listed(rows, READ_STORE_SORTS[query.sort_by], { ...window, limit })));
      if (found.length >= query.limit) break;
    }
    return found;
  }

  count(query: ReadStoreQuery): Promise<number> {
    return this.ask(query, countOf(matchingSpans(this.parts.database, query), query.limit));
  }

  listTraces(query: ReadStoreTraceListQuery): Promise<ReadStorePosition[]> {
    return this.listed(matchingTraces(this.parts.database, query), READ_STORE_TRACE_SORTS[query.sort_by], query);
  }

  countTraces(query: ReadStoreTraceQuery): Promise<number> {
    return this.ask(query, countOf(matchingTraces(this.parts.database, query), query.limit));
  }

  async sum(query: ReadStoreSumQuery): Promise<ReadStoreSums[]> {
    const rows = await this.ask<SumsTuple[]>(query, selectSums(this.parts.database, query));
    return rows.map((row) => sumsOfRow(row, query.keys.length));
  }

  async texts(query: ReadStoreTextsQuery): Promise<ReadStoreTexts[]> {
    if (query.spans.length === 0) return [];
    type Texts = [string, string | null, string | null];
    const found = await this.ask<Texts[]>(query, textsOf(this.parts.database, query));
    return found.map(([id, input, output]) => ({ id, input, output }));
  }

  async digest(query: ReadStoreRange): Promise<ReadStoreDigest> {
    const [count, sum] = await this.ask<[number, string]>(query, digestOf(this.parts.database, query), LOAD_SECONDS);
    return { count: Number(count), sum };
  }

  /** Merges days of which parts are left to be merged: of versions of a span the newest stays. */
  async purge(): Promise<void> {
    const { database } = this.parts;
    const days = await this.rows<{ day: string }>(
      `SELECT _partition_id AS day FROM ${database}.spans GROUP BY day HAVING max(is_deleted) = 1 AND uniq(_part) > 1`,
      LOAD_SECONDS,
    );
    for (const { day } of days) {
      await this.command(
        `OPTIMIZE TABLE ${this.held('spans')} PARTITION ID ${literal(day)} FINAL SETTINGS optimize_skip_merged_partitions = 1`,
      );
    }
  }

  close(): Promise<void> {
    return this.parts.engine.close();
  }

  private async listed(
    rows: string,
    member: string,
    query: ReadStoreListQuery | ReadStoreTraceListQuery,
  ): Promise<ReadStorePosition[]> {
    const pairs = await this.ask<[ReadStorePosition['value'], string][]>(query, selectInOrder(rows, member, query));
    return pairs.map(([value, id]) => ({ value, id }));
  }

  private async insert<Of>(table: string, of: readonly Of[], rowOf: (one: Of) => Row, token: string): Promise<void> {
    if (of.length === 0) return;
    const columns = Object.keys(rowOf(of[0]!)) as [string, ...string[]];
    await this.parts.engine.insert({
      table: `${this.parts.database}.${table}`,
      columns,
      lines: linesOf(of.values().map(rowOf), columns),
      query_id: this.queryId(),
      settings: {
        ...this.settings,
        ...LOAD_SETTINGS,
        materialize_skip_indexes_on_insert: of.length < BULK_SPANS ? 1 : 0,
        insert_deduplication_token: token,
      },
    });
  }

  /** The one value of a query. @throws Error where the store does not have what it must, which is looked at in the same statement. */
  private async ask<Answer>(
    { has: { content, batch } }: Pick<ReadStoreQuery, 'has'>,
    query: string,
    seconds = this.parts.timeoutMs / 1_000,
  ): Promise<Answer> {
    const { database } = this.parts;
    const has = `SELECT maxOrNull(batch) FROM ${database}.loader WHERE content = ${literal(content)}`;
    const [row] = await this.rows<{ batch: number | null; answer: Answer }>(
      `SELECT (${has}) AS batch, (${query}) AS answer`,
      seconds,
    );
    if (row!.batch === null || row!.batch < batch) throw new Error(`the store has batch ${row!.batch} of ${batch}`);
    return row!.answer;
  }

  private async rows<Row>(query: string, seconds: number): Promise<Row[]> {
    // A server that hangs does not end it by itself.
    const patience = AbortSignal.timeout((seconds + HANGS_SECONDS) * 1_000);
    try {
      const answer = await this.parts.engine.client.query({
        query,
        format: 'JSONEachRow',
        abort_signal: patience,
        clickhouse_settings: { ...this.settings, max_execution_time: seconds },
      });
      return await answer.json();
    } catch (error) {
      if (!patience.aborted) throw error;
      throw new Error(`ClickHouse did not answer within ${seconds + HANGS_SECONDS} s`, { cause: error });
    }
  }

  /** @param token of an insert: chdb keeps settings from one statement to the next, and would take another for a repetition. */
  private async command(query: string, token = ''): Promise<void> {
    await this.parts.engine.client.command({
      query,
      query_id: this.queryId(),
      clickhouse_settings: { ...this.settings, ...LOAD_SETTINGS, insert_deduplication_token: token },
    });
  }

  private queryId(): string {
    return `${LOADER}-${this.parts.database}-${process.pid}-${Date.now()}-${++this.queries}`;
  }

  /** Ends what earlier loaders began: a batch that comes late would bring back what has gone since. */
  private async endOthers(): Promise<void> {
    const { engine, database, cluster } = this.parts;
    const loaders = `startsWith(initial_query_id, '${LOADER}-${database}-')`;
    if (engine.isShared)
      await engine.client.command({ query: `KILL QUERY${onCluster(cluster)} WHERE ${loaders} SYNC` });
  }

  /** Ends what other loaders began, and looks whether they left parts without indexes: who was killed has built none. */
  private async takeOver(): Promise<void> {
    await this.endOthers();
    const bare = await this.rows(
      `SELECT 1 FROM ${this.system('parts')} WHERE active AND database = ${literal(this.parts.database)}
        AND table = ${literal(heldBy('spans', this.parts.cluster))} AND secondary_indices_compressed_bytes = 0 LIMIT 1`,
      LOAD_SECONDS,
      // A user of the tables alone may not read this one; building what is there already costs little.
    ).catch(() => undefined);
    this.hasBulk = bare?.length !== 0;
  }

  /** What a table about the engine says, on all servers. */
  private system(table: string): string {
    const { cluster } = this.parts;
    return cluster === undefined ? `system.${table}` : `clusterAllReplicas(${cluster}, system.${table})`;
  }

  private statements(plain: readonly string[]): readonly string[] {
    const { database, cluster } = this.parts;
    return cluster === undefined ? plain : inCluster(database, cluster, plain);
  }

  private async moveOld(): Promise<void> {
    const { database, coldDisk } = this.parts;
    for (const statement of this.statements(coldDisk ? movedTo(database, coldDisk) : [])) await this.command(statement);
  }

  private names(): string[] {
    return [...new Set(TABLES.flatMap((table) => [table, heldBy(table, this.parts.cluster)]))];
  }

  /** The tables that are there, of each server. */
  private tables(): Promise<{ name: string; engine: string; comment: string }[]> {
    return this.rows(
      `SELECT name, engine, comment FROM ${this.system('tables')}
        WHERE database = ${literal(this.parts.database)} AND name IN ${literals(this.names())}`,
      LOAD_SECONDS,
    );
  }

  /** Whether all tables are there in their present form: one that was lost or is of another version has nothing that counts. */
  private async isWhole(): Promise<boolean> {
    const tables = await this.tables();
    return tables.filter(({ comment }) => comment === FORM).length === this.names().length * this.servers;
  }

  /** Tables of which each server has its own, in a statement for all of them. */
  private held(table: string): string {
    const { database, cluster } = this.parts;
    return `${database}.${heldBy(table, cluster)}${onCluster(cluster)}`;
  }

  /** @throws Error where the server knows no such cluster. */
  private async sizeOf(cluster: string): Promise<{ replicas: number; servers: number }> {
    const [found] = await this.rows<{ replicas: number; servers: number }>(
      `SELECT max(replica_num) AS replicas, count() AS servers FROM system.clusters WHERE cluster = ${literal(cluster)}`,
      LOAD_SECONDS,
    );
    if (!found?.servers) throw new Error(`config cluster: the server knows no cluster ${cluster}`);
    return found;
  }
}

type Row = Record<string, unknown>;

/** Characters that are handed over at once: rows one by one cost more than what is in them. */
const LINES_LENGTH = 65_536;
/** Milliseconds of writing rows after which others have their turn. */
const TURN_MS = 2;

/** Rows as lines, many in a text, so that requests are answered while a batch is written. */
async function* linesOf(rows: Iterable<Row>, columns: readonly string[]): AsyncGenerator<string> {
  let [lines, began] = ['', performance.now()];
  for (const row of rows) {
    lines += `${lines && '\n'}${JSON.stringify(columns.map((column) => row[column]))}`;
    if (lines.length < LINES_LENGTH) continue;
    yield lines;
    lines = '';
    if (performance.now() - began < TURN_MS) continue;
    await nextTurn();
    began = performance.now();
  }
  if (lines) yield lines;
}
