/** Analytics on Postgres, and what only a database with several writers can show. */
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { rebuildRollups } from '@spandrel/analytics';
import { sql, type StorageConfig } from '@spandrel/storage';
import { POSTGRES } from '../support/databases.ts';
import { THOROUGH } from '../support/repetitions.ts';
import { createMigrated } from '../support/migrated-database.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { AnalyticsApp } from './analytics-app.js';
import { describeAnalytics } from './describe-analytics.js';
import { expectRecounted } from './expect-recounted.js';
import { sendAtOnce, write } from './random-writes.js';

let postgres: TestPostgres | undefined;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres?.stop());

const database = async (name: string): Promise<StorageConfig> => ({
  dialect: 'postgres',
  url: await createMigrated(postgres!, name),
});

describeAnalytics(POSTGRES);

/** Rebuilds again and again. @returns whether each one found something else than it made. */
async function rebuildUntil({ storage }: AnalyticsApp, end: AbortSignal): Promise<boolean[]> {
  const differed: boolean[] = [];
  while (!end.aborted) {
    differed.push((await rebuildRollups(storage)).differed);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return differed;
}

describe('analytics of two instances on one Postgres', () => {
  const apps: AnalyticsApp[] = [];
  const PROJECTS = ['a', 'b'];

  beforeAll(async () => {
    const config = await database('instances');
    apps.push(...(await Promise.all([1, 2].map(() => AnalyticsApp.open(config)))));
  });
  afterAll(async () => {
    for (const app of apps) await app.close();
  });

  it('equal a recount after both wrote at once, while rebuilds ran', async () => {
    let accepted = 0;
    // Clearing has a test of its own, below.
    const some = write.filter(([method, url]) => method !== 'DELETE' || url !== '/api/traces');
    const batch = fc.array(fc.tuple(fc.nat(1), some), { minLength: 30, maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(fc.array(batch, { minLength: 2, maxLength: 4 }), async (batches) => {
        const writing = new AbortController();
        const rebuilds = rebuildUntil(apps[1]!, writing.signal);
        try {
          for (const writes of batches) {
            const statuses = await sendAtOnce(apps, PROJECTS, writes);
            // Transactions that lock each other are done again a few times, and then given up.
            expect(statuses.filter((status) => status >= 500 && status !== 503)).toEqual([]);
            accepted += statuses.filter((status) => status < 300).length;
          }
        } finally {
          writing.abort();
        }
        expect(await rebuilds).not.toContain(true);
        for (const project of PROJECTS) await expectRecounted(apps[0]!, project, [{}, { group_by: 'hour' }]);
      }),
      { numRuns: THOROUGH ? 4 : 3, endOnFailure: true },
    );
    expect(accepted).toBeGreaterThan(100);
    expect(await rebuildRollups(apps[0]!.storage)).toMatchObject({ differed: false });
  }, 240_000);

  it('keep a write that is on its way while the project is cleared', async () => {
    const [one, other] = [apps[0]!, apps[1]!];
    await one.call('DELETE', '/api/traces', undefined, 'c');
    await one.call('POST', '/api/traces', { id: 'before' }, 'c');
    await one.call('POST', '/api/spans', { trace_id: 'before', name: 's' }, 'c');
    let cleared: Promise<unknown> | undefined;
    // Another instance's transaction: it has written its trace, and its row of the roll-up, when the clearing begins.
    await other.storage.write(async (tx) => {
      await tx.run(sql`insert into trace (project_id, id, tags, metadata, started_at, status, span_count, running_count,
        error_count, total_tokens, cost_usd, cost_pico, cost_count, models)
        values ('c', 'during', '[]', '{}', 0, 0, 0, 0, 0, 0, 0, 0, 0, '[]')`);
      await tx.run(sql`update analytics_total set trace_count = trace_count + 1 where project_id = 'c'`);
      cleared = one.call('DELETE', '/api/traces', undefined, 'c');
      await new Promise((resolve) => setTimeout(resolve, 300));
    });
    await cleared;
    expect(await one.traces('c')).toHaveLength(1);
    await expectRecounted(one, 'c', []);
  });
});
