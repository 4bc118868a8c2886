/** `spandrel analytics rebuild` on the data directory of a program that ran. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { join } from 'node:path';
import { Api } from '../support/api.ts';
import { recount } from '../support/recount.ts';
import { runSpandrel, startSpandrel, tempDir, type Spandrel } from '../support/spandrel.ts';

const dataDir = tempDir();
const rebuild = () => runSpandrel(['analytics', 'rebuild', '--data-dir', dataDir]);
let server: Spandrel;

const tamper = (statement: string): void => {
  const db = new Database(join(dataDir, 'spandrel.db'));
  db.exec(statement);
  db.close();
};

beforeAll(async () => {
  server = await startSpandrel({ command: 'server', dataDir });
  const api = new Api(server.apiUrl);
  const spans = Array.from({ length: 2_500 }, (_, n) => ({
    id: `s${n}`,
    trace_id: `t${n % 3}`,
    name: 's',
    kind: { type: 'llm_call', model: `m${n % 4}`, input_tokens: n, cost: n / 7 },
    started_at: new Date(Date.UTC(2026, 0, 1) + n * 977_001).toISOString(),
    status: n % 5 === 0 ? 'running' : 'completed',
  }));
  const traces = ['t0', 't1', 't2'].map((id) => ({ id }));
  expect((await api.post('/api/ingest', { traces, spans })).status).toBe(200);
}, 60_000);
afterAll(() => server?.stop('SIGKILL'));

describe('spandrel analytics rebuild', () => {
  it('says that the server must be stopped', async () => {
    const { code, output } = await rebuild();
    expect([code, output]).toEqual([1, expect.stringMatching(/^spandrel: .*in use/)]);
    expect(await server.stop()).toBe(0);
  });

  it('finds nothing to change after a server, and counts all of it', async () => {
    const { code, output } = await rebuild();
    expect([code, output]).toEqual([
      0,
      'Counted the analytics anew: 3 traces, 2500 spans, 1 project.\nWhat was stored was right.\n',
    ]);
  });

  it.each([
    'update analytics_rollup set span_count = span_count + 1',
    'delete from analytics_rollup where grain = 1',
    "insert into analytics_total values ('nobody', 4)",
  ])('repairs rows that were tampered with: %s', async (statement) => {
    tamper(statement);
    expect(recount(dataDir).wrongAnalytics).toBeGreaterThan(0);
    const { code, output } = await rebuild();
    expect([code, output]).toEqual([0, expect.stringContaining('What was stored differed; it is replaced.')]);
    expect(recount(dataDir)).toMatchObject({ wrongAnalytics: 0, integrity: 'ok' });
  });

  it('counts a data directory that an earlier version left when the server starts', async () => {
    tamper('delete from analytics_rollup; delete from analytics_total');
    server = await startSpandrel({ command: 'server', dataDir });
    expect((await new Api(server.apiUrl).get('/api/stats')).body).toEqual({ trace_count: 3, span_count: 2_500 });
    expect(recount(dataDir).wrongAnalytics).toBe(0);
    expect(await server.stop()).toBe(0);
  });

  it('refuses a directory without a database', async () => {
    const { code, output } = await runSpandrel(['analytics', 'rebuild', '--data-dir', tempDir()]);
    expect([code, output]).toEqual([1, expect.stringContaining('there is no database')]);
  });
});
