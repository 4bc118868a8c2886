/** Several instances on one Postgres, and connections that break: whole batches or none, nothing acknowledged lost. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { StartError } from '@spandrel/kernel';
import { connectClient, startOwnPostgres, withClient, type TestPostgres } from '../support/postgres.js';
import { until } from '../support/spandrel.ts';
import { TracingApp } from './tracing-app.js';

let postgres: TestPostgres | undefined;
let url = '';
const apps: TracingApp[] = [];

beforeAll(async () => {
  postgres = await startOwnPostgres();
  url = await postgres.createDatabase('instances');
  // Both at once: migrations run under a lock.
  apps.push(...(await Promise.all([1, 2].map(() => TracingApp.open({ dialect: 'postgres', url })))));
});

afterAll(async () => {
  for (const app of apps) await app.close();
  await postgres?.stop();
});

const app = (n: number): TracingApp => apps[n % apps.length]!;

describe('two instances on one Postgres', () => {
  it('keep the roll-up of a trace that both write to', async () => {
    await app(0).post('/api/traces', { id: 'shared' });
    const ids = Array.from({ length: 200 }, (_, n) => `shared-${n}`);
    const kind = { type: 'llm_call', model: 'gpt-4o', input_tokens: 10, output_tokens: 1, cost: 0.1 };
    await Promise.all(
      ids.map(async (id, n) => {
        expect((await app(n).post('/api/spans', { id, trace_id: 'shared', name: 's' })).status).toBe(201);
        expect((await app(n + 1).post(`/api/spans/${id}/complete`, { kind })).status).toBe(200);
      }),
    );
    expect((await app(1).get('/api/traces/shared')).body.trace).toMatchObject({
      span_count: 200,
      total_tokens: 2200,
      total_cost: 20,
      status: 'completed',
    });
  });

  it('make one trace and one span of a create that reaches both', async () => {
    const create = (n: number) => app(n).post('/api/traces', { id: 'twice', name: 'n' });
    const traces = await Promise.all(Array.from({ length: 10 }, (_, n) => create(n)));
    expect(new Set(traces.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    const spans = await Promise.all(
      Array.from({ length: 10 }, (_, n) => app(n).post('/api/spans', { id: 'twice', trace_id: 'twice', name: 's' })),
    );
    expect(new Set(spans.map(({ status }) => status))).toEqual(new Set([201]));
    expect((await app(0).get('/api/traces/twice')).body.count).toBe(1);
  });

  it('clear everything at one while the other writes: nothing is left half', async () => {
    const stop = new AbortController();
    const writing = Promise.all(
      Array.from({ length: 8 }, async (_, writer) => {
        for (let n = 0; !stop.signal.aborted; n++) {
          const id = `cleared-${writer}-${n}`;
          expect((await app(1).post('/api/traces', { id, tags: ['cleared'] })).status).toBe(201);
          const created = await app(1).post('/api/spans', { id, trace_id: id, name: 's', input: 'x' });
          expect([201, 404]).toContain(created.status);
          if (created.status === 201)
            expect([200, 404]).toContain((await app(1).post(`/api/spans/${id}/complete`)).status);
        }
      }),
    );
    for (let clear = 0; clear < 10; clear++) expect((await app(0).delete('/api/traces')).status).toBe(200);
    stop.abort();
    await writing;
    const { rows } = await withClient(url, (client) =>
      client.query(`select
      (select count(*)::int from span s left join trace t on t.id = s.trace_id where t.id is null) as spans,
      (select count(*)::int from span_payload p left join span s on s.id = p.span_id where s.id is null) as payloads,
      (select count(*)::int from span s left join span_payload p on s.id = p.span_id where p.span_id is null) as bare,
      (select count(*)::int from trace_tag g left join trace t on t.id = g.trace_id where t.id is null) as tags,
      (select count(*)::int from trace t where span_count <> (select count(*) from span s where s.trace_id = t.id)) as sums`),
    );
    expect(rows[0]).toEqual({ spans: 0, payloads: 0, bare: 0, tags: 0, sums: 0 });
  });

  it('lose and double nothing when connections break under load', async () => {
    const saboteur = await connectClient(url);
    const stop = new AbortController();
    let answered = 0;
    const sabotage = (async () => {
      // After so many answers, not so many milliseconds: what a slow machine is at would never come to an end.
      for (let wanted = 0; !stop.signal.aborted; wanted = answered + 4) {
        await until(() => answered >= wanted || stop.signal.aborted);
        await saboteur.query(
          "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'spandrel' and random() < 0.3",
        );
      }
    })();
    await app(0).post('/api/traces', { id: 'broken' });
    const outcomes = await Promise.all(
      Array.from({ length: 16 }, async (_, client) => {
        const finished: string[] = [];
        for (let n = 0; n < 25; n++) {
          const id = `broken-${client}-${n}`;
          const created = await app(client).post('/api/spans', { id, trace_id: 'broken', name: 's' });
          answered++;
          expect([201, 503]).toContain(created.status);
          if (created.status !== 201) continue;
          const completed = await app(client).post(`/api/spans/${id}/complete`, {});
          // Never 409: a completion whose commit went unseen is found out, not tried again.
          expect([200, 503]).toContain(completed.status);
          if (completed.status === 200) finished.push(id);
        }
        return finished;
      }),
    );
    stop.abort();
    await sabotage;
    await saboteur.end();
    const { trace, spans } = (await app(1).get('/api/traces/broken')).body;
    const stored = new Map(spans.map(({ id, status }) => [id, status]));
    for (const id of outcomes.flat()) expect(stored.get(id)).toBe('completed');
    expect(outcomes.flat().length).toBeGreaterThan(200);
    expect(trace.span_count).toBe(spans.length);
    expect(stored.size).toBe(spans.length);
  });

  it('say in one line that a server cannot be reached', async () => {
    const opening = TracingApp.open({ dialect: 'postgres', url: 'postgres://x:y@127.0.0.1:1/none' });
    await expect(opening).rejects.toBeInstanceOf(StartError);
    await expect(opening).rejects.toThrow(/^DATABASE_URL: the database cannot be reached/);
  });
});
