/** `spandrel analytics rebuild` on what a program left, or, in cloud mode, keeps. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import Database from 'better-sqlite3';
import { rebuildAnalytics } from '../../apps/cli/src/rebuild.js';
import type { Place, Program } from '../support/places.ts';
import { runCommand } from '../support/run-command.ts';
import { tempDir } from '../support/spandrel.ts';
import { describeOnBothDatabases } from '../support/databases.ts';

/** More than are counted at once, and roll-ups than are written at once. */
const SPANS = 1_100;
const COUNTED = `Counted the analytics again: 3 traces, ${SPANS.toLocaleString('en-US')} spans, 1 project.\n`;

describeOnBothDatabases('spandrel analytics rebuild', ({ name: database, takePlace }) => {
  let place: Place;
  let server: Program;
  const rebuild = () => runCommand(rebuildAnalytics, ['--data-dir', place.dataDir], place.env);
  /** A text for each row. */
  const stored = async (): Promise<string[]> => {
    const rollups = await place.rows('select * from analytics_rollup');
    const totals = await place.rows('select * from analytics_total');
    return [...rollups, ...totals].map((row) => JSON.stringify(row)).toSorted();
  };

  async function tamper(...statements: string[]): Promise<void> {
    if (place.mode === 'cloud') {
      for (const statement of statements) await place.rows(statement);
      return;
    }
    const db = new Database(join(place.dataDir, 'spandrel.db'));
    for (const statement of statements) db.exec(statement);
    db.close();
  }

  beforeAll(async () => {
    place = await takePlace();
    server = await place.start({ command: 'server' });
    const spans = Array.from({ length: SPANS }, (_, n) => ({
      id: `s${n}`,
      trace_id: `t${n % 3}`,
      name: 's',
      kind: { type: 'llm_call', model: `m${n % 4}`, input_tokens: n, cost: n / 7 },
      started_at: new Date(Date.UTC(2026, 0, 1) + n * 3_977_001).toISOString(),
      status: n % 5 === 0 ? 'running' : 'completed',
    }));
    const traces = ['t0', 't1', 't2'].map((id) => ({ id }));
    expect((await server.api.post('/api/ingest', { traces, spans })).status).toBe(200);
  });
  afterAll(() => place?.close());

  if (database === 'SQLite') {
    it('says that the server must be stopped', async () => {
      const { code, output } = await rebuild();
      expect([code, output]).toEqual([1, expect.stringMatching(/^spandrel: .*in use/)]);
      expect(await server.stop()).toBe(0);
    });
  }

  it('finds nothing to change after a server, on Postgres beside it, and counts all of it', async () => {
    const { code, output } = await place.run('analytics', 'rebuild');
    expect([code, output]).toEqual([0, `${COUNTED}The stored values were correct.\n`]);
  });

  it.each([
    'update analytics_rollup set span_count = span_count + 1',
    'delete from analytics_rollup where grain = 1',
    "insert into analytics_total values ('nobody', 4)",
  ])('repairs rows that were tampered with: %s', async (statement) => {
    const before = await stored();
    expect(before.length).toBeGreaterThan(2_000);
    await tamper(statement);
    expect(await stored()).not.toEqual(before);
    const { code, output } = await rebuild();
    expect([code, output]).toEqual([0, `${COUNTED}The stored values differed and have been replaced.\n`]);
    expect(await stored()).toEqual(before);
  });

  if (database === 'SQLite') {
    it('refuses a directory without a database', async () => {
      const { code, output } = await runCommand(rebuildAnalytics, ['--data-dir', tempDir()]);
      expect([code, output]).toEqual([1, expect.stringContaining('there is no database')]);
    });
  }
});
