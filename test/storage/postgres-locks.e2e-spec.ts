/** Two instances on one Postgres that write the same rows in every order: they wait for one another, never both. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Client } from 'pg';
import { createMigrated } from '../support/migrated-database.ts';
import { connectClient, startPostgres, withClient, type TestPostgres } from '../support/postgres.ts';
import { random } from '../support/random.ts';
import { startServerApp, type ServerApp } from '../support/server-app.ts';
import { until } from '../support/spandrel.ts';

const WRITERS = 8;
const ROUNDS = 25;
const TRACES = 6;

let postgres: TestPostgres | undefined;
let url = '';
const servers: ServerApp[] = [];
beforeAll(async () => {
  postgres = await startPostgres();
  url = await createMigrated(postgres, 'locks');
  for (let n = 0; n < 2; n++) servers.push(await startServerApp({ dialect: 'postgres', url }));
});
afterAll(async () => {
  for (const server of servers) await server.close();
  await postgres?.stop();
});

async function send(server: number, method: string, path: string, body?: object): Promise<number> {
  const response = await fetch(servers[server % 2]!.url + path, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  await response.arrayBuffer();
  return response.status;
}

async function conflicts(): Promise<number> {
  const texts = await Promise.all(servers.map(async ({ url }) => (await fetch(`${url}/metrics`)).text()));
  const counts = texts.map((text) =>
    Number(/^spandrel_storage_retries_total\{reason="conflict"\} (\d+)/m.exec(text)![1]),
  );
  return counts.reduce((sum, count) => sum + count);
}

/** The server's own count of deadlocks, to which connections report at their end. */
async function deadlocks(): Promise<number> {
  const { rows } = await withClient(url, (client) =>
    client.query<{ deadlocks: string }>('select deadlocks from pg_stat_database where datname = current_database()'),
  );
  return Number(rows[0]!.deadlocks);
}

/** One of a few spans of a few traces; no two traces have an id in common, as exporters draw them. */
function anySpanId(below: (end: number) => number): { traceId: string; spanId: string; parentSpanId: string } {
  const trace = below(TRACES) + 1;
  const spanId = (): string => `${trace}${below(9) + 1}`.padStart(16, '0');
  return { traceId: `${trace}`.repeat(32), spanId: spanId(), parentSpanId: spanId() };
}

/** Spans of a few traces, each with a parent and some with usage, so that writers meet in spans, traces and what they cover. */
function anyExport(below: (end: number) => number, count = 1 + below(20)): object {
  const spans = Array.from({ length: count }, () => ({
    ...anySpanId(below),
    name: 'n',
    startTimeUnixNano: `${1_795_338_000_000_000_000n + BigInt(below(5)) * 1_000_000n}`,
    endTimeUnixNano: '1795338001000000000',
    attributes: [
      { key: 'gen_ai.request.model', value: { stringValue: 'own-model' } },
      { key: 'gen_ai.usage.input_tokens', value: { intValue: below(3) } },
      { key: 'session.id', value: { stringValue: `session ${below(3)}` } },
    ],
  }));
  return { resourceSpans: [{ scopeSpans: [{ spans }] }] };
}

/** Messages of spans, most of which are there. */
function anyRecords(below: (end: number) => number): object {
  const logRecords = Array.from({ length: 1 + below(5) }, () => ({
    ...anySpanId(below),
    timeUnixNano: '1795338000000000000',
    eventName: 'gen_ai.user.message',
    body: { kvlistValue: { values: [{ key: 'content', value: { stringValue: `text ${below(9)}` } }] } },
  }));
  return { resourceLogs: [{ scopeLogs: [{ logRecords }] }] };
}

/** Resolves when a connection to the database waits for another. */
const oneWaits = (): Promise<void> =>
  withClient(url, (client) =>
    until(async () => {
      const { rows } = await client.query(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      );
      return rows.length === 1;
    }),
  );

/** A span of a trace with usage below a parent that is not there. */
const spanBelow = (traceId: string, spanId: string, parentSpanId: string): object => ({
  ...{ traceId, spanId, parentSpanId, name: 'n' },
  startTimeUnixNano: '1795338000000000000',
  endTimeUnixNano: '1795338001000000000',
  attributes: [
    { key: 'gen_ai.request.model', value: { stringValue: 'own-model' } },
    { key: 'gen_ai.usage.input_tokens', value: { intValue: 1 } },
  ],
});

describe('one transaction, while others have some of its rows', () => {
  const spanId = (n: number): string => `${n}`.padStart(16, '0');
  let held: Client;
  let other: Client;
  beforeEach(async () => {
    held = await connectClient(url);
    other = await connectClient(url);
    await held.query('begin');
    await other.query('begin');
  });
  afterEach(async () => {
    await held.end();
    await other.end();
  });

  it('clears the traces that were there when it began to lock them, and waits for no later one', async () => {
    expect(await send(0, 'POST', '/api/ingest', { traces: [{ id: 'x1' }, { id: 'x5' }] })).toBe(200);
    const before = await conflicts();
    await held.query("update trace set name = 'changed' where id = 'x5'");
    const clearing = send(0, 'DELETE', '/api/traces');
    await oneWaits();
    expect(await send(1, 'POST', '/api/traces', { id: 'x0' })).toBe(201);
    await other.query("select 1 from trace where id = 'x0' for update");
    await held.query('commit');
    await other.query("select 1 from trace where id = 'x1' for update");
    await other.query('commit');
    expect(await clearing).toBe(200);
    expect(await conflicts()).toBe(before);
    const statuses = await Promise.all(['x0', 'x1', 'x5'].map((id) => send(0, 'GET', `/api/traces/${id}`)));
    expect(statuses).toEqual([200, 404, 404]);
  });

  it('makes marks of usage in the order of their keys, and the trace behind them', async () => {
    const traceId = 'a1'.repeat(16);
    const mark = "insert into usage_mark (project_id, trace_id, span_id) values ('local', $1, $2)";
    await held.query(mark, [traceId, spanId(8)]);
    // The parents come in the order 9, 1, 8.
    const spans = [9, 1, 8].map((parent, n) => spanBelow(traceId, spanId(20 + n), spanId(parent)));
    const exporting = send(0, 'POST', '/v1/traces', { resourceSpans: [{ scopeSpans: [{ spans }] }] });
    await oneWaits();
    await other.query("set local lock_timeout = '2s'");
    await other.query(mark, [traceId, spanId(9)]);
    await other.query('rollback');
    expect(await send(1, 'POST', '/api/traces', { id: traceId })).toBe(201);
    await held.query('rollback');
    expect(await exporting).toBe(200);
  });

  it('notes that log events have met their spans in the order of their keys', async () => {
    const traceId = 'a2'.repeat(16);
    const ids = [9, 8, 7, 6, 5, 4, 3, 2, 1].map(spanId);
    for (const id of ids) {
      const record = { traceId, spanId: id, timeUnixNano: '1795338000000000000', eventName: 'gen_ai.user.message' };
      const body = { kvlistValue: { values: [{ key: 'content', value: { stringValue: 'text' } }] } };
      const logRecords = [{ ...record, body }];
      expect(await send(0, 'POST', '/v1/logs', { resourceLogs: [{ scopeLogs: [{ logRecords }] }] })).toBe(200);
    }
    const lock = 'select 1 from otlp_event where trace_id = $1 and span_id = any($2::text[]) for update';
    await held.query(lock, [traceId, [spanId(2)]]);
    const spans = ids.map((id) => spanBelow(traceId, id, ''));
    const exporting = send(0, 'POST', '/v1/traces', { resourceSpans: [{ scopeSpans: [{ spans }] }] });
    await oneWaits();
    await other.query(`${lock} nowait`, [traceId, ids.slice(0, 7)]);
    await expect(held.query(`${lock} nowait`, [traceId, [spanId(1)]])).rejects.toThrow('could not obtain lock');
    await other.query('rollback');
    await held.query('rollback');
    expect(await exporting).toBe(200);
  });
});

describe('two instances that write, delete and clear the same traces', () => {
  it('do not deadlock over exports of the same spans and their messages', async () => {
    const seen = new Set<number>();
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        const below = random(writer + 200);
        for (let round = 0; round < ROUNDS; round++) {
          seen.add(await send(writer, 'POST', '/v1/traces', anyExport(below)));
          if (below(3) === 0) seen.add(await send(writer, 'POST', '/v1/logs', anyRecords(below)));
        }
      }),
    );
    expect([...seen]).toEqual([200]);
    expect(await deadlocks()).toBe(0);
  });

  it('do not deadlock over exports to traces that others make and delete meanwhile', async () => {
    const seen = new Set<number>();
    const exportAll = Array.from({ length: WRITERS }, async (_, writer) => {
      const below = random(writer + 300);
      for (let round = 0; round < ROUNDS; round++) {
        seen.add(await send(writer, 'POST', '/v1/traces', anyExport(below, 12)));
      }
    });
    let going = true;
    const deleting = (async () => {
      for (let n = 0; going; n++) await send(n, 'DELETE', `/api/traces/${`${(n % TRACES) + 1}`.repeat(32)}`);
    })();
    await Promise.all(exportAll);
    going = false;
    await deleting;
    expect([...seen]).toEqual([200]);
    expect(await deadlocks()).toBe(0);
  });

  it('do not deadlock', async () => {
    const traceIds = Array.from({ length: TRACES }, (_, n) => `t${n}`);
    const makeAll = () => send(0, 'POST', '/api/ingest', { traces: traceIds.map((id) => ({ id })) });
    expect(await makeAll()).toBe(200);
    // The day's partitions are there before the rounds begin: both instances making them at once is another matter.
    expect(await send(0, 'POST', '/api/spans', { id: 'first', trace_id: 't0', name: 'n' })).toBe(201);
    const before = await conflicts();
    const seen = new Map<number, number>();
    const note = (status: number): void => void seen.set(status, (seen.get(status) ?? 0) + 1);
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        const below = random(writer + 1);
        for (let round = 0; round < ROUNDS; round++) {
          // Spans of several traces, in any order, so that batches meet crosswise.
          const spans = Array.from({ length: 4 }, (_, n) => ({
            id: `${writer}.${round}.${n}`,
            trace: `t${below(TRACES)}`,
          }));
          await Promise.all(
            spans.map(async ({ id, trace }) =>
              note(await send(writer, 'POST', '/api/spans', { id, trace_id: trace, name: 'n' })),
            ),
          );
          await Promise.all(
            spans.map(async ({ id }) => note(await send(writer + 1, 'POST', `/api/spans/${id}/complete`, {}))),
          );
        }
      }),
    );
    // Other rounds run beside deletions of the traces they write to; the next round makes those again.
    let going = true;
    const deleting = (async () => {
      for (let n = 0; going; n++) {
        if (n % 10 === 9) note(await send(n, 'DELETE', '/api/traces'));
        else note(await send(n, 'DELETE', `/api/traces/t${n % TRACES}`));
      }
    })();
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        const below = random(writer + 100);
        for (let round = 0; round < ROUNDS; round++) {
          const id = `d${writer}.${round}`;
          const of = [`t${below(TRACES)}`, `t${below(TRACES)}`];
          note(await send(writer, 'POST', '/api/spans', { id, trace_id: of[0], name: 'n' }));
          note(await send(writer, 'PATCH', `/api/traces/${of[1]}`, { name: id }));
          note(await send(writer + 1, 'POST', `/api/spans/${id}/complete`, {}));
          if (below(4) === 0) note(await send(writer, 'POST', '/api/traces', { id: of[0] }));
        }
      }),
    );
    going = false;
    await deleting;
    expect([...seen.keys()].filter((status) => status >= 500)).toEqual([]);
    // Conflicts come from creates that both get at once: the second finds the key taken.
    expect((await conflicts()) - before).toBeLessThan(10);
    for (const server of servers.splice(0)) await server.close();
    expect(await deadlocks()).toBe(0);
  });
});
