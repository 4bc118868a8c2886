/** Where the built program keeps its data, so that a suite shows the same of both modes. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import type { Client } from 'pg';
import { Api } from './api.ts';
import { freePorts } from './ports.ts';
import { connectClient, startPostgres, withClient } from './postgres.ts';
import { runSpandrel, startSpandrel, tempDir, type Spandrel, type StartOptions } from './spandrel.ts';
import { templateDatabase } from './template-database.ts';
import { ADMIN_TOKEN, cloudEnvironment, createTenant } from './tenant.ts';

/** A started program with its client. */
export interface Program extends Spandrel {
  /** May do all in one project. */
  api: Api;
}

/** A directory, or a Postgres database with a tenant in it. */
export interface Place {
  mode: 'local' | 'cloud';
  /** Environment of every program here, to start one by other means than {@link start}. */
  env: Readonly<Record<string, string>>;
  dataDir: string;
  /** With all scopes, of the one project; local mode has none. */
  key: string | undefined;
  /** Who claims and deletes, where a request does not say. */
  caller: string;
  /** What the API wants of its callers. */
  headers: Readonly<Record<string, string>>;
  /** What the gateway wants of its callers. */
  gatewayHeaders: Readonly<Record<string, string>>;
  /** Starts a program on what is kept here, always on the same ports. */
  start(options?: StartOptions): Promise<Program>;
  /** Runs a command on what is kept here to its end. */
  run(...command: string[]): ReturnType<typeof runSpandrel>;
  /** Asks the database itself, also while a program runs. */
  rows<Row>(sql: string): Promise<Row[]>;
  /** Whatever is kept here, by file or table. */
  contents(): Promise<[where: string, bytes: Buffer][]>;
  /** Ends what still runs here. */
  close(): Promise<void>;
}

/** Local mode, in a new directory. */
export async function takeDirectory(): Promise<Place> {
  const dataDir = tempDir();
  return {
    mode: 'local',
    dataDir,
    key: undefined,
    caller: 'local',
    ...(await programsOf(dataDir, {}, (url) => new Api(url))),
    headers: {},
    gatewayHeaders: {},
    rows: async <Row>(sql: string): Promise<Row[]> => {
      const db = new Database(join(dataDir, 'spandrel.db'), { readonly: true });
      try {
        return db.prepare(sql).all() as Row[];
      } finally {
        db.close();
      }
    },
    contents: async () => filesOf(dataDir),
  };
}

/** Cloud mode, on a new database that has a project with a key; connections may reach loopback. Must be closed. */
export async function takeDatabase(): Promise<Place> {
  const postgres = await startPostgres();
  const template = await tenantTemplate(postgres.server);
  const url = await postgres.createDatabase('place', TEMPLATE);
  const dataDir = tempDir();
  const config = join(tempDir(), 'place.yaml');
  writeFileSync(config, `connections: { allow_private: ['127.0.0.1'] }\n`);
  const env = {
    ...cloudEnvironment(url),
    SPANDREL_CONFIG: config,
    SPANDREL_API_KEY: template.key,
    SPANDREL_SHUTDOWN_DELAY: '0',
  };
  const programs = await programsOf(dataDir, env, (of) => new Api(of).as(template.key));
  // One connection for all questions: tests ask again and again.
  let asking: Promise<Client> | undefined;
  return {
    mode: 'cloud',
    dataDir,
    key: template.key,
    caller: template.keyId,
    ...programs,
    headers: { authorization: `Bearer ${template.key}` },
    gatewayHeaders: { 'x-spandrel-key': template.key },
    rows: async <Row>(sql: string): Promise<Row[]> => {
      asking ??= connectClient(url);
      return (await (await asking).query(sql)).rows as Row[];
    },
    contents: async () => [...filesOf(dataDir), ...(await tablesOf(url))],
    close: async () => {
      await programs.close();
      await (await asking)?.end();
      await postgres.stop();
    },
  };
}

async function programsOf(
  dataDir: string,
  env: Record<string, string>,
  clientOf: (url: string) => Api,
): Promise<Pick<Place, 'env' | 'start' | 'run' | 'close'>> {
  const [port, gatewayPort] = (await freePorts(2)) as [number, number];
  const programs: Spandrel[] = [];
  return {
    env,
    start: async (options = {}) => {
      const started = await startSpandrel({ port, gatewayPort, dataDir, ...options, env: { ...env, ...options.env } });
      programs.push(started);
      return { ...started, api: clientOf(started.apiUrl) };
    },
    close: async () => void (await Promise.all(programs.splice(0).map((program) => program.stop('SIGKILL')))),
    run: (...command) => runSpandrel([...command, '--data-dir', dataDir], env),
  };
}

const TEMPLATE = 'spandrel_with_tenant';

/** The key of the tenant in the database that places are copies of, which the first suite that asks makes. */
const tenantTemplate = (server: string): Promise<{ key: string; keyId: string }> =>
  templateDatabase(server, TEMPLATE, async ({ apiUrl }) => {
    const { key, keyId } = await createTenant(new Api(apiUrl).as(ADMIN_TOKEN), {});
    return { key, keyId };
  });

const filesOf = (directory: string): [string, Buffer][] =>
  readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .flatMap(({ parentPath, name }) => {
      try {
        return [[name, readFileSync(join(parentPath, name))]];
      } catch (error) {
        // What the spool held was delivered meanwhile.
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
        throw error;
      }
    });

async function tablesOf(url: string): Promise<[string, Buffer][]> {
  return withClient(url, async (client) => {
    const tables = await client.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
        where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    const contents: [string, Buffer][] = [];
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ row: string }>(`select to_json(t)::text as row from only ${name} t`);
      contents.push([name, Buffer.from(rows.map(({ row }) => row).join('\n'))]);
    }
    return contents;
  });
}
