/** Postgres goes down in the middle of batches and comes back: whole batches or none, and a retry makes them whole. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Client } from 'pg';
import { startOwnPostgres, type TestPostgres } from '../support/postgres.ts';
import { until } from '../support/spandrel.ts';
import { TracingApp } from '../storage/tracing-app.ts';

const CRASHES = 3;
const WRITERS = 6;
const BATCH = 50;

let postgres: TestPostgres | undefined;
let url = '';
let app: TracingApp | undefined;
beforeAll(async () => {
  postgres = await startOwnPostgres();
  url = await postgres.createDatabase('restart');
  app = await TracingApp.open({ dialect: 'postgres', url });
});
afterAll(async () => {
  await app?.close();
  await postgres?.stop();
});

/** Kills one server process: Postgres drops every connection and recovers from its log, as after a power cut. */
async function crash(): Promise<void> {
  const [victim, bystander] = await Promise.all([1, 2].map(() => connection()));
  process.kill(victim!.pid, 'SIGKILL');
  await Promise.all([victim!.ended, bystander!.ended]);
}

async function connection() {
  const client = new Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return { pid: rows[0]!.pid, ended: new Promise((resolve) => client.once('end', resolve)) };
}

describe('a crash of Postgres under ingest', () => {
  it('leaves whole batches or none, and every one is there once after a retry', async () => {
    const { post, get } = app!;
    await post('/api/traces', { id: 't' });
    let going = true;
    const batches: string[][] = [];
    const acknowledged = new Set<string>();
    const send = async (ids: string[]): Promise<boolean> => {
      const spans = ids.map((id) => ({ id, trace_id: 't', name: 'n', status: 'completed', output: id }));
      const { status, body } = await post('/api/ingest', { spans });
      expect([200, 503]).toContain(status);
      if (status === 200) {
        expect(body.accepted.spans).toBe(BATCH);
        acknowledged.add(ids[0]!);
      }
      return status === 200;
    };
    const writers = Array.from({ length: WRITERS }, async (_, writer) => {
      for (let n = 0; going; n++) {
        const ids = Array.from({ length: BATCH }, (_, i) => `${writer}.${n}.${i}`);
        batches.push(ids);
        await send(ids);
      }
    });
    for (let crashes = 0; crashes < CRASHES; crashes++) {
      const enough = acknowledged.size + 15;
      await until(() => acknowledged.size >= enough, 20_000);
      await crash();
    }
    const enough = acknowledged.size + 15;
    await until(() => acknowledged.size >= enough, 20_000);
    going = false;
    await Promise.all(writers);

    const stored = async (): Promise<Map<string, number>> => {
      const { spans } = (await get('/api/traces/t')).body;
      const counts = new Map<string, number>();
      for (const { id } of spans) {
        const batch = id.slice(0, id.lastIndexOf('.'));
        counts.set(batch, (counts.get(batch) ?? 0) + 1);
      }
      return counts;
    };
    const counts = await stored();
    expect([...counts.values()].filter((count) => count !== BATCH)).toEqual([]);
    for (const first of acknowledged) expect(counts.has(first.slice(0, -2))).toBe(true);
    for (const ids of batches) expect(await send(ids)).toBe(true);
    expect((await stored()).size).toBe(batches.length);
    const { trace } = (await get('/api/traces/t')).body;
    expect(trace).toMatchObject({ span_count: batches.length * BATCH, error_count: 0, status: 'completed' });
  });
});
