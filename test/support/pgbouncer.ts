import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEnd } from './at-end.ts';
import { freePort } from './ports.ts';
import { withClient } from './postgres.ts';
import { until } from './spandrel.ts';

/** Connections that it has to Postgres, of each database. */
export const POOL_SIZE = 5;

const running = new Set<ChildProcess>();
atEnd(() => running.forEach((child) => child.kill('SIGKILL')));

/** PgBouncer in transaction mode before a Postgres; it refuses to be root, and is the user of Postgres instead. */
export interface PgBouncer {
  /** The URL of a database by way of it. */
  url: string;
  close(): Promise<void>;
}

/** Starts the `pgbouncer` of the PATH. @param databaseUrl of the database, with a password. */
export async function startPgBouncer(databaseUrl: string): Promise<PgBouncer> {
  const target = new URL(databaseUrl);
  const folder = mkdtempSync(join(tmpdir(), 'spandrel-pgbouncer-'));
  chmodSync(folder, 0o755);
  const port = await freePort();
  const users = join(folder, 'users.txt');
  const settings = join(folder, 'pgbouncer.ini');
  writeFileSync(users, `"${target.username}" "${target.password}"\n`);
  writeFileSync(
    settings,
    `[databases]\n* = host=127.0.0.1 port=${target.port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\n` +
      `unix_socket_dir =\nauth_type = trust\nauth_file = ${users}\npool_mode = transaction\n` +
      `default_pool_size = ${POOL_SIZE}\nmax_client_conn = 200\n`,
  );
  const asUser = ['setpriv', '--reuid=postgres', '--regid=postgres', '--clear-groups'];
  const [file, ...args] = [...(process.getuid?.() === 0 ? asUser : []), 'pgbouncer', settings];
  const child = spawn(file!, args, { stdio: 'ignore', cwd: '/' });
  child.unref();
  running.add(child);
  child.once('close', () => running.delete(child));
  target.port = String(port);
  await until(() =>
    withClient(target.href, (client) => client.query('select 1')).then(
      () => true,
      () => false,
    ),
  );
  const close = async (): Promise<void> => {
    const ended = once(child, 'close');
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  return { url: target.href, close };
}
