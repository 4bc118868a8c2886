import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { formatTimestamp } from '@spandrel/contract';
import { SQLITE } from '../support/databases.ts';
import { tempDir } from '../support/spandrel.ts';
import { AnalyticsApp } from './analytics-app.js';
import { describeAnalytics } from './describe-analytics.js';

const newDatabase = () => ({ dialect: 'sqlite', file: join(tempDir(), 'spandrel.db') }) as const;

describeAnalytics(SQLITE);

describe('a time series on SQLite', () => {
  const HOUR_MS = 3_600_000;
  /** More than are read where other requests wait. */
  const MANY = 2_100;
  let app: AnalyticsApp;

  beforeAll(async () => {
    app = await AnalyticsApp.open(newDatabase());
    // They are read in a thread too, and would be counted.
    await app.endBackgroundReads();
    const kind = { type: 'llm_call', model: 'popular', provider: 'known' };
    const span = (id: string, startedAt: number) => ({
      id,
      trace_id: 't',
      name: 'n',
      kind,
      started_at: formatTimestamp(startedAt),
    });
    const hourly = Array.from({ length: MANY }, (_, i) => span(`hour-${i}`, i * HOUR_MS));
    const atOnce = Array.from({ length: MANY }, (_, i) => span(`once-${i}`, MANY * HOUR_MS + 1_000 + i));
    for (const spans of [hourly, atOnce]) {
      const { body } = await app.call('POST', '/api/ingest', { traces: [{ id: 't', name: 't' }], spans });
      expect(body).toMatchObject({ rejected: [] });
    }
  });
  afterAll(() => app?.close());

  const inOneHour = {
    since: formatTimestamp(MANY * HOUR_MS + 500),
    until: formatTimestamp(MANY * HOUR_MS + HOUR_MS / 2),
  };
  it.each([
    ['roll-ups of other models', { group_by: 'hour', model: 'rare' }, true],
    ['spans of other providers', { ...inOneHour, model: 'popular', provider: 'rare' }, true],
    ['no spans of other models', { ...inOneHour, model: 'rare', provider: 'known' }, false],
    ['few days', { group_by: 'day' }, false],
  ])(
    'is read in a thread when its query goes through many rows, whatever counts: %s, %j',
    async (_rows, question, isLong) => {
      const long = jest.spyOn(app.storage, 'readLong');
      const { status } = await app.series(question);
      expect([status, long.mock.calls.length > 0]).toEqual([200, isLong]);
      long.mockRestore();
    },
  );
});
