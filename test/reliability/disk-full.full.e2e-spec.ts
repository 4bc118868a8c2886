import { Readiness } from '@spandrel/kernel';
/** A disk that is full or fails: writes are refused in order, reads go on, nothing is half-written. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { Problem, SpanResource } from '@spandrel/contract';
import { Api, type Answer } from '../support/api.ts';
import { createMigrated } from '../support/migrated-database.ts';
import { startPostgres, withClient, type TestPostgres } from '../support/postgres.ts';
import { recount } from '../support/recount.ts';
import { startServerApp, type ServerApp } from '../support/server-app.ts';
import { startSpandrel, tempDir, until, type Spandrel } from '../support/spandrel.ts';

const cleanUps: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).toReversed()) await cleanUp();
});

/** A disk that can be filled up and relieved while a server runs on it. */
interface Disk {
  dataDir: string;
  fill(server: Spandrel): void;
  relieve(server: Spandrel): void;
}

/** A small file system of its own; needs root. */
function smallDisk(): Disk {
  const dir = tempDir();
  run('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', dir]);
  cleanUps.push(() => run('umount', ['--lazy', dir]));
  const ballast = join(dir, 'ballast');
  const dataDir = join(dir, 'data');
  mkdirSync(dataDir);
  return { dataDir, fill: () => writeFileSync(ballast, Buffer.alloc(16 << 20)), relieve: () => rmSync(ballast) };
}

/** Files of the server may not grow beyond 2 MiB: its writes fail with an I/O error (EFBIG). Needs no rights. */
function failingDisk(): Disk {
  const limit = (server: Spandrel, bytes: string) => run('prlimit', ['--pid', `${server.pid}`, `--fsize=${bytes}:`]);
  return {
    dataDir: tempDir(),
    fill: (server) => limit(server, String(2 << 20)),
    relieve: (server) => limit(server, 'unlimited'),
  };
}

function run(command: string, args: string[]): void {
  const { status, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${stderr}`);
}

const DISKS: [string, () => Disk][] = [['a disk that fails', failingDisk]];
if (process.getuid?.() === 0) DISKS.push(['a disk that is full', smallDisk]);

// SQLite only: its disk is the service's own.
describe.each(DISKS)('%s', (_name, makeDisk) => {
  it('refuses writes with 503, answers reads, keeps what it acknowledged, and works again when relieved', async () => {
    const disk = makeDisk();
    const server = await startSpandrel({ command: 'server', dataDir: disk.dataDir });
    cleanUps.push(() => server.stop('SIGKILL'));
    const api = new Api(server.apiUrl);
    await api.post('/api/traces', { id: 't', name: 'before' });
    const acknowledged: string[] = [];
    const refused: Answer<Problem>[] = [];
    let serial = 0;
    const write = async (): Promise<void> => {
      const ids = [`s${serial++}`, `s${serial++}`];
      const spans = ids.map((id) => ({ id, trace_id: 't', name: 'n', status: 'completed', output: id.repeat(30_000) }));
      const answer = await api.post('/api/ingest', { spans });
      if (answer.status === 200) acknowledged.push(...ids);
      else refused.push(answer);
    };
    await write();
    disk.fill(server);
    await until(async () => {
      await Promise.all([write(), write(), write()]);
      return refused.length >= 12;
    });
    for (const { status, body, headers } of refused) {
      expect([status, body.code]).toEqual([503, 'unavailable']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(JSON.stringify(body)).not.toMatch(/SQLITE|spandrel\.db|disk I\/O/);
    }
    // Each kind of write, and each way to read, by key and by list.
    for (const [path, body] of [
      ['/api/traces', { name: 'x'.repeat(2_000), metadata: { fill: 'x'.repeat(3_000_000) } }],
      ['/api/spans', { trace_id: 't', name: 'n', input: 'x'.repeat(3_000_000) }],
    ] as const) {
      expect((await api.post(path, body)).status).toBe(503);
    }
    expect((await api.get<SpanResource>(`/api/spans/${acknowledged[0]}`)).body.output).toBe(
      acknowledged[0]!.repeat(30_000),
    );
    expect((await api.spans()).length).toBe(acknowledged.length);
    expect((await api.traces()).map(({ span_count }) => span_count)).toEqual([acknowledged.length]);
    for (const path of ['/livez', '/api/health']) expect((await api.get(path)).status).toBe(200);
    await write();
    expect((await api.get('/readyz')).status).toBe(503);
    expect((await api.get('/api/spans?text_contains=s1s1')).status).toBe(200);

    disk.relieve(server);
    const before = acknowledged.length;
    await until(async () => {
      await write();
      return acknowledged.length > before;
    });
    await until(async () => (await api.get('/readyz')).status === 200);
    expect((await api.get<{ spans: SpanResource[] }>('/api/traces/t')).body.spans.length).toBe(acknowledged.length);
    expect(await server.stop()).toBe(0);
    const kept = recount(disk.dataDir);
    expect(kept).toMatchObject({ integrity: 'ok', wrongRollUps: [], halves: 0 });
    expect([...kept.spans.keys()].sort()).toEqual(acknowledged.sort());
  });
});

// Postgres has its disk elsewhere, and says so: a trigger says it in its stead.
describe('a Postgres whose disk is full', () => {
  let postgres: TestPostgres;
  let url: string;
  let server: ServerApp;
  beforeAll(async () => {
    postgres = await startPostgres();
    url = await createMigrated(postgres, 'disk_full');
    server = await startServerApp({ dialect: 'postgres', url });
    server.app.get(Readiness).ready = true;
  });
  afterAll(async () => {
    await server?.close();
    await postgres?.stop();
  });

  const execute = (sql: string): Promise<unknown> => withClient(url, (client) => client.query(sql));
  const count = (table: string): Promise<number> =>
    withClient(url, async (client) => {
      const { rows } = await client.query<{ n: number }>(`select count(*)::int as n from ${table}`);
      return rows[0]!.n;
    });

  it('refuses writes with 503, keeps nothing by halves, answers reads, and works again when relieved', async () => {
    const { api } = server;
    const span = (id: string) => ({ id, trace_id: 't', name: 'n', status: 'completed', output: id });
    await api.post('/api/traces', { id: 't', name: 'before' });
    expect((await api.post('/api/spans', { id: 'first', trace_id: 't', name: 'n', input: 'in' })).status).toBe(201);
    expect((await api.get('/readyz')).status).toBe(200);
    await execute(`
      create function no_space() returns trigger language plpgsql as $$
        begin raise exception 'could not extend file "base/1/2"' using errcode = '53100'; end $$;
      create trigger no_space before insert or update on span for each row execute function no_space()`);

    const refused: Answer<Problem>[] = await Promise.all([
      api.post('/api/spans', { id: 'one', trace_id: 't', name: 'n' }),
      api.post('/api/ingest', {
        traces: [{ id: 'new' }],
        spans: [span('many'), { ...span('of new'), trace_id: 'new' }],
      }),
      api.post('/api/spans/first/complete', { output: 'out' }),
      ...Array.from({ length: 10 }, (_, n) => api.post('/api/ingest', { spans: [span(`s${n}`)] })),
    ]);
    for (const { status, body, headers } of refused) {
      expect([status, body.code]).toEqual([503, 'unavailable']);
      expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      expect(JSON.stringify(body)).not.toMatch(/53100|extend|base\/1/);
    }
    // It says what was so a second ago.
    await until(async () => (await api.get('/readyz')).status === 503);
    for (const path of ['/livez', '/api/health']) expect((await api.get(path)).status).toBe(200);
    for (const table of ['span', 'span_payload', 'span_key', 'trace'])
      expect([table, await count(table)]).toEqual([table, 1]);
    expect(await api.spans()).toMatchObject([{ id: 'first', status: 'running', input: 'in', output: null }]);
    expect(await api.traces()).toMatchObject([{ id: 't', span_count: 1 }]);
    expect((await api.get('/api/stats')).body).toEqual({ trace_count: 1, span_count: 1 });

    await execute('drop trigger no_space on span');
    expect((await api.post('/api/ingest', { traces: [{ id: 'new' }], spans: [span('many')] })).status).toBe(200);
    expect((await api.post('/api/spans/first/complete', { output: 'out' })).status).toBe(200);
    await until(async () => (await api.get('/readyz')).status === 200);
    expect((await api.spans()).map(({ id }) => id).toSorted()).toEqual(['first', 'many']);
    expect((await api.get('/api/stats')).body).toEqual({ trace_count: 2, span_count: 2 });
  });
});
