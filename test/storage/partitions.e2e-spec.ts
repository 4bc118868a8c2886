/** Spans in partitions by day on Postgres (ADR 0013): ids stay unique, days are few. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { SpanPayloadSchema, SpanSchema } from '../../libs/tracing/src/span.entity.js';
import { contradictions, NO_CONTRADICTIONS, partitionedDays } from '../support/partition-lab.ts';
import { startPostgres, withClient, type TestPostgres } from '../support/postgres.ts';
import { TracingApp } from './tracing-app.js';
import { repetitions } from '../support/repetitions.ts';

const DAY_MS = 86_400_000;
const TODAY = Math.floor(Date.now() / DAY_MS) * DAY_MS;
const at = (epochMs: number): string => new Date(epochMs).toISOString();
const nameOf = (epochMs: number): string => at(epochMs).slice(0, 10).replaceAll('-', '');

let postgres: TestPostgres | undefined;
const apps: TracingApp[] = [];
let url = '';

beforeAll(async () => {
  postgres = await startPostgres();
  url = await postgres.createDatabase('partitions');
  apps.push(await TracingApp.open({ dialect: 'postgres', url }), await TracingApp.open({ dialect: 'postgres', url }));
});

afterAll(async () => {
  for (const app of apps) await app.close();
  await postgres?.stop();
});

const app = (n: number): TracingApp => apps[n % 2]!;
const send = async (n: number, spans: object[], traces: object[] = []): Promise<number> =>
  (await app(n).post('/api/ingest', { traces, spans })).body.accepted.spans;

describe('spans on Postgres', () => {
  it('get a partition for a day when its first span comes, from any instance, and for few days', async () => {
    expect(await partitionedDays(url)).toEqual([]);
    await send(0, [], [{ id: 't' }]);
    const days = [0, 1, 1, 2, 30];
    await Promise.all(
      days.map((back, n) =>
        send(n, [{ id: `first-${n}`, trace_id: 't', name: 's', started_at: at(TODAY - back * DAY_MS) }]),
      ),
    );
    expect(await partitionedDays(url)).toEqual([30, 2, 1, 0].map((back) => nameOf(TODAY - back * DAY_MS)));
    // Long ago, far ahead: taken, without a partition of its own.
    const odd = [
      '0001-01-01T00:00:00.000Z',
      '9999-12-31T23:59:59.999Z',
      at(TODAY - 300 * DAY_MS),
      at(TODAY + 30 * DAY_MS),
    ];
    expect(
      await send(
        0,
        odd.map((started_at, n) => ({ id: `odd-${n}`, trace_id: 't', name: 's', started_at })),
      ),
    ).toBe(4);
    expect(await partitionedDays(url)).toHaveLength(4);
    const { spans } = (await app(1).get('/api/spans?limit=100&sort_order=asc')).body;
    expect(spans).toHaveLength(9);
    expect(spans.map(({ started_at: start }) => start)).toEqual(spans.map(({ started_at: start }) => start).toSorted());
    expect((await app(0).get('/api/traces/t')).body.count).toBe(9);
  });

  it('stay whole, each id once, whatever two instances write at once and wherever a correction moves them', async () => {
    const moments = [0, 1, 2, 45].map((back) => TODAY - back * DAY_MS + 5);
    const write = fc.record({
      instance: fc.nat(1),
      id: fc.nat(7),
      moment: fc.constantFrom(...moments),
      ended: fc.boolean(),
      type: fc.constantFrom('ingest', 'ingest', 'ingest', 'create', 'complete', 'delete'),
    });
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(write, { minLength: 2, maxLength: 8 }), { minLength: 1, maxLength: 5 }),
        async (steps) => {
          const prefix = `r${++round}`;
          await send(0, [], [{ id: prefix }]);
          const written = new Set<string>();
          for (const together of steps) {
            const statuses = await Promise.all(
              together.map(async ({ instance, id: number, moment, ended, type }) => {
                const id = `${prefix}-${number}`;
                const span = { id, trace_id: prefix, name: 's', started_at: at(moment) };
                if (type !== 'complete' && type !== 'delete') written.add(id);
                if (type === 'create') return (await app(instance).post('/api/spans', span)).status;
                if (type === 'complete') return (await app(instance).post(`/api/spans/${id}/complete`, {})).status;
                if (type === 'delete') return (await app(instance).delete(`/api/spans/${id}`)).status;
                const item = { ...span, input: moment, ...(ended && { ended_at: at(moment + number) }) };
                return (await app(instance).post('/api/ingest', { spans: [item] })).status;
              }),
            );
            expect(statuses.filter((status) => status >= 500)).toEqual([]);
          }
          const { spans, count } = (await app(round).get(`/api/traces/${prefix}`)).body;
          expect(new Set(spans.map(({ id }) => id)).size).toBe(count);
          for (const { id } of spans) expect(written.has(id)).toBe(true);
          for (const { id } of spans.slice(0, 2))
            expect((await app(round + 1).get(`/api/spans/${id}`)).body.id).toBe(id);
        },
      ),
      { numRuns: repetitions(15) },
    );
    expect(await contradictions(url)).toEqual(NO_CONTRADICTIONS);
  });

  it('that are made again in another trace are of that one, also when it happens at once', async () => {
    await send(0, [], [{ id: 'one' }, { id: 'two' }]);
    await send(0, [{ id: 'again', trace_id: 'one', name: 's', started_at: at(TODAY) }]);
    const statuses = await Promise.all([
      app(0).delete('/api/spans/again'),
      app(0).post('/api/spans', { id: 'again', trace_id: 'two', name: 's', started_at: at(TODAY) }),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([200, 201]);
    expect(await contradictions(url)).toEqual(NO_CONTRADICTIONS);
    expect((await app(1).delete('/api/traces/one')).status).toBe(200);
    expect((await app(1).get('/api/traces/two')).body.count).toBe(1);
  });

  it('that came before their partition move into it', async () => {
    const start = TODAY - 20 * DAY_MS;
    await withClient(url, async (client) => {
      await client.query('begin; lock table span_default in access share mode');
      // Nobody waits for the partition: without it the span is taken all the same.
      expect(await send(0, [{ id: 'early', trace_id: 't', name: 's', started_at: at(start) }])).toBe(1);
      await client.query('rollback');
    });
    expect(await partitionedDays(url)).not.toContain(nameOf(start));
    expect(await send(1, [{ id: 'later', trace_id: 't', name: 's', started_at: at(start + 1) }])).toBe(1);
    expect(await partitionedDays(url)).toContain(nameOf(start));
    const rows = await withClient(url, (client) => client.query(`select id from span_p${nameOf(start)} order by id`));
    expect(rows.rows).toEqual([{ id: 'early' }, { id: 'later' }]);
    expect((await app(0).get('/api/spans/early')).status).toBe(200);
    expect(await contradictions(url)).toEqual(NO_CONTRADICTIONS);
  });

  it('have the columns that their entities say', async () => {
    const columns = await withClient(url, async (client) => {
      const { rows } = await client.query<{ table: string; column: string }>(
        `select table_name as "table", column_name || case is_nullable when 'YES' then '?' else '' end as "column"
         from information_schema.columns where table_name in ('span', 'span_payload') order by 1, 2`,
      );
      return (table: string): string[] => rows.filter((row) => row.table === table).map(({ column }) => column);
    });
    const said = (entity: { meta: { properties: Record<string, { nullable?: boolean }> } }): string[] =>
      Object.entries(entity.meta.properties).map(
        ([name, { nullable }]) =>
          name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`) + (nullable ? '?' : ''),
      );
    expect(columns('span')).toEqual(said(SpanSchema as never).toSorted());
    expect(columns('span_payload')).toEqual([...said(SpanPayloadSchema as never), 'started_at'].toSorted());
  });
});
