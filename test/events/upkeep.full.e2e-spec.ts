/** What has a clock: pruning, and the end of streams when the server stops. Keep-alives are in the full loop. */
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { Api } from '../support/api.ts';
import type { Place, Program } from '../support/places.ts';
import { holdSockets } from '../support/raw-http.ts';
import { tempDir, until } from '../support/spandrel.ts';
import { ADMIN_TOKEN, createTenant } from '../support/tenant.ts';
import { EventClient, range } from './event-client.ts';
import { describeOnBothDatabases, showsAll } from '../support/databases.ts';

const RETENTION_MS = 36_000;
/** More events than go at once: 500 in local mode, a hundred of each project in cloud mode. */
const OLD = { local: 520, cloud: 220 };
/** Pruning runs 24 times in the time of retention. */
const PRUNED_EVERY_MS = RETENTION_MS / 24;

describeOnBothDatabases('the event log and its streams', ({ name, takePlace }) => {
  /** What of the streams asks no database. */
  const itOfStreams = (title: string, test: () => Promise<void>): void => {
    if (showsAll(name)) it(title, test);
  };
  let place: Place | undefined;
  let program: Program;
  const cleanUps: (() => unknown)[] = [];
  beforeAll(async () => {
    place = await takePlace();
    const file = join(tempDir(), 'spandrel.yaml');
    const retention = `retention_hours: ${RETENTION_MS / 3_600_000}`;
    writeFileSync(file, `events: { ${retention}, stalled_seconds: 600, behind_seconds: 600 }\n`);
    program = await place.start({ command: 'server', args: ['--config', file] });
  });
  afterEach(() => cleanUps.splice(0).forEach((cleanUp) => cleanUp()));
  afterAll(() => place?.close());

  async function listen(query = ''): Promise<EventClient> {
    const client = await EventClient.open(program.apiUrl, { query, headers: place!.headers });
    cleanUps.push(() => client.close());
    return client;
  }

  async function trace(): Promise<void> {
    expect((await program.api.unchecked.post('/api/traces', {})).status).toBe(201);
  }

  /** Numbers in the log, of all projects. */
  async function log(): Promise<number[]> {
    const rows = await place!.rows<{ seq: number }>('select last_seq as seq from event_log order by last_seq');
    return rows.map(({ seq }) => Number(seq));
  }

  /** Makes events older than they are. */
  async function age(byMs: number, which = 'true'): Promise<void> {
    const statement = `update event_log set created_at = created_at - ${byMs} where ${which}`;
    if (place!.mode === 'cloud') return void (await place!.rows(statement));
    const database = new Database(join(place!.dataDir, 'spandrel.db'));
    database.exec(statement);
    database.close();
  }

  it('prunes what is old, a bit at a time, and never gives a number twice', async () => {
    const live = await listen();
    // A second project has events too, where there can be one.
    if (place!.mode === 'cloud') {
      const other = await createTenant(new Api(program.apiUrl).as(ADMIN_TOKEN), { name: 'Other' });
      await other.api.post('/api/traces', {});
    }
    const old = OLD[place!.mode];
    for (let n = 1; n < old; n += 20) await Promise.all(range(n, Math.min(n + 19, old - 1)).map(trace));
    const last = Date.now();
    await trace();
    await live.has(old);
    await age(RETENTION_MS - 2_000);
    await until(async () => (await log()).length === 0, 20_000);
    expect(Date.now() - last).toBeGreaterThanOrEqual(2_000);
    await trace();
    await trace();
    await live.has(old + 2);
    expect(live.ids).toEqual(range(1, old + 2));
    // What is left of the log is replayed to a client that was away for longer.
    const late = await listen('since=5');
    await late.has(2);
    expect(late.ids).toEqual([old + 1, old + 2]);
    const never = await listen('since=0');
    await never.has(2);
    await age(RETENTION_MS);
    await until(async () => (await log()).length === 0, 20_000);
    const empty = await listen('since=3');
    await trace();
    for (const [client, ids] of [
      [never, [old + 1, old + 2, old + 3]],
      [empty, [old + 3]],
    ] as const) {
      await client.has(ids.length);
      expect(client.ids).toEqual(ids);
    }
  });

  it('leaves what is young, and the rest of the log in place', async () => {
    for (let n = 0; n < 5; n++) await trace();
    const [first, ...rest] = (await log()).slice(-5);
    expect(rest).toEqual(range(first! + 1, first! + 4));
    await age(RETENTION_MS, `last_seq not in (${rest[1]}, ${rest[3]})`);
    const isLeft = async (seq: number): Promise<boolean> => (await log()).includes(seq);
    await until(async () => !(await isLeft(first!)) && !(await isLeft(rest[0]!)), 20_000);
    // What else would go, would go with it or with the next look.
    await sleep(PRUNED_EVERY_MS + 200);
    // In order only: what is old stays behind what is young.
    expect(await log()).toEqual(rest.slice(1));
  });

  // That clients resume where they were is shown by those that users have (clients.full.e2e-spec.ts), and after each kill.
  itOfStreams('ends streams at once when it stops, of clients that do not read too', async () => {
    const traces = 'types=trace_created';
    const reading = await Promise.all(range(1, 50).map(() => listen(traces)));
    const head = ['Host: localhost', ...Object.entries(place!.headers).map((header) => header.join(': '))].join('\r\n');
    const silent = await holdSockets(program.apiUrl, 20, `GET /api/events HTTP/1.1\r\n${head}\r\n\r\n`);
    cleanUps.push(() => silent.close());
    silent.sockets.forEach((socket) => socket.pause());
    const replaying = connect(Number(new URL(program.apiUrl).port), '127.0.0.1');
    cleanUps.push(() => replaying.destroy());
    replaying.on('error', () => undefined).pause();
    replaying.write(`GET /api/events?since=0 HTTP/1.1\r\n${head}\r\n\r\n`);
    await program.api.post('/api/traces', { id: 't' });
    const input = 'x'.repeat(900_000);
    for (const n of range(1, 20))
      await program.api.unchecked.post('/api/spans', { id: `s${n}`, trace_id: 't', name: 's', input });
    await trace();
    const newest = (await log()).at(-1)!;
    // A stop waits for no delivery: who reads has the last event by then.
    await Promise.all(reading.map((client) => client.has(2)));
    expect(await program.stop()).toBe(0);
    for (const client of reading) {
      await client.ended();
      expect(client.ids).toEqual([newest - 21, newest]);
    }
  });
});
