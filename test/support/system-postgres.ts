import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { atEnd } from './at-end.ts';
import { freePort } from './ports.ts';
import { withClient } from './postgres.ts';
import { until } from './spandrel.ts';

const running = new Set<ChildProcess>();
atEnd(() => running.forEach((child) => child.kill('SIGKILL')));

/** Where the programs of Postgres are that the system's packages bring; `undefined` where one of them is missing. */
function systemBinaries(): string | undefined {
  const asked = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' });
  const folder = asked.status === 0 ? asked.stdout.trim() : undefined;
  const isThere = (name: string): boolean => spawnSync(join(folder!, name), ['--version']).status === 0;
  return folder && ['initdb', 'postgres', 'pg_basebackup', 'pg_ctl'].every(isThere) ? folder : undefined;
}

export const POSTGRES_BINARIES = systemBinaries();
export const HAS_PGBOUNCER = spawnSync('pgbouncer', ['--version']).status === 0;

/** A program that runs as the user of Postgres, which refuses to be root. */
const asUser = (file: string, args: readonly string[]): [string, string[]] =>
  process.getuid?.() === 0
    ? ['setpriv', ['--reuid=postgres', '--regid=postgres', '--clear-groups', file, ...args]]
    : [file, [...args]];

function run(file: string, args: readonly string[]): void {
  const [program, words] = asUser(file, args);
  const { status, stderr } = spawnSync(program, words, { encoding: 'utf8', cwd: '/' });
  if (status !== 0) throw new Error(`${file} ended with ${status}: ${stderr}`);
}

function start(file: string, args: readonly string[]): ChildProcess {
  const [program, words] = asUser(file, args);
  const child = spawn(program, words, { stdio: 'ignore', cwd: '/' });
  child.unref();
  running.add(child);
  child.once('close', () => running.delete(child));
  return child;
}

/** A folder that the user of Postgres may write. */
function openFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), name));
  chmodSync(folder, 0o777);
  return folder;
}

/** A Postgres of the system's packages. */
export class SystemPostgres {
  private child: ChildProcess | undefined;

  private constructor(
    private readonly folder: string,
    readonly port: number,
  ) {}

  /** An empty one, started. @param settings `name=value`. */
  static async create(settings: readonly string[]): Promise<SystemPostgres> {
    const made = new SystemPostgres(openFolder('spandrel-primary-'), await freePort());
    run(join(POSTGRES_BINARIES!, 'initdb'), [
      '--pgdata',
      made.data,
      '--username=spandrel',
      '--auth=trust',
      '--encoding=UTF8',
      '--locale=C.UTF-8',
    ]);
    await made.start(settings);
    return made;
  }

  /** A standby of it by streaming replication, started. @param name by which the primary knows it. */
  async standby(name: string): Promise<SystemPostgres> {
    const made = new SystemPostgres(openFolder('spandrel-standby-'), await freePort());
    const from = `host=127.0.0.1 port=${this.port} user=spandrel application_name=${name}`;
    run(join(POSTGRES_BINARIES!, 'pg_basebackup'), [
      '--pgdata',
      made.data,
      '--dbname',
      from,
      '--wal-method=stream',
      '--checkpoint=fast',
      '--write-recovery-conf',
    ]);
    await made.start([]);
    return made;
  }

  /** The URL for programs. @param port another one that leads there. */
  url = (port = this.port): string => `postgres://spandrel@127.0.0.1:${port}/postgres`;

  query = async <Row>(text: string): Promise<Row[]> =>
    withClient(this.url(), async (client) => (await client.query(text)).rows as Row[]);

  /** Ends all of it at once, as a machine that loses power. */
  async crash(): Promise<void> {
    const ended = once(this.child!, 'close');
    // All other processes end when the first one is gone, without writing anything.
    this.child!.kill('SIGKILL');
    await ended;
  }

  /** Makes a standby the primary. */
  promote(): void {
    run(join(POSTGRES_BINARIES!, 'pg_ctl'), ['promote', '--pgdata', this.data, '--wait']);
  }

  async close(): Promise<void> {
    if (this.child?.exitCode === null && this.child.signalCode === null) await this.crash();
    rmSync(this.folder, { recursive: true, force: true });
  }

  private get data(): string {
    return join(this.folder, 'data');
  }

  private async start(settings: readonly string[]): Promise<void> {
    const all = [
      `port=${this.port}`,
      'listen_addresses=127.0.0.1',
      'unix_socket_directories=',
      'wal_level=replica',
      ...settings,
    ];
    this.child = start(join(POSTGRES_BINARIES!, 'postgres'), ['-D', this.data, ...all.flatMap((each) => ['-c', each])]);
    await until(
      () =>
        this.query('select 1').then(
          () => true,
          () => false,
        ),
      30_000,
    );
  }
}

/** PgBouncer in transaction mode before a Postgres. @returns its port, and what ends it. */
export async function startPgBouncer(postgres: SystemPostgres): Promise<{ port: number; close(): Promise<void> }> {
  const folder = openFolder('spandrel-pgbouncer-');
  const port = await freePort();
  writeFileSync(join(folder, 'users.txt'), '"spandrel" ""\n');
  writeFileSync(
    join(folder, 'pgbouncer.ini'),
    `[databases]\n* = host=127.0.0.1 port=${postgres.port}\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = ${port}\n` +
      `unix_socket_dir =\nauth_type = trust\nauth_file = ${join(folder, 'users.txt')}\npool_mode = transaction\n` +
      `default_pool_size = 5\nmax_client_conn = 200\n`,
  );
  const child = start('pgbouncer', [join(folder, 'pgbouncer.ini')]);
  await until(
    () =>
      withClient(postgres.url(port), (client) => client.query('select 1')).then(
        () => true,
        () => false,
      ),
    10_000,
  );
  const close = async (): Promise<void> => {
    const ended = once(child, 'close');
    child.kill('SIGKILL');
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  return { port, close };
}
