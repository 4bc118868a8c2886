/** What several exporters, the gateway and programs report has one outcome: in any order, split anyhow, and repeated. */
import { dirname } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { rebuildRollups } from '@spandrel/analytics';
import type { StorageConfig } from '@spandrel/storage';
import { describeOnBothDatabases } from '../support/databases.ts';
import { naiveSeries, naiveSummary } from '../support/naive-analytics.ts';
import { recount } from '../support/recount.ts';
import { THOROUGH } from '../support/repetitions.ts';
import { startServerApp, type ServerApp } from '../support/server-app.ts';
import { drawnStory } from './export-story.ts';
import { countedTokens, StoryTeller } from './tell-story.ts';

/** Fewer on Postgres, where each takes four times as long: several seconds where others use the machine. */
const STORIES = { SQLite: THOROUGH ? 150 : 12, Postgres: THOROUGH ? 150 : 4 };
const STORY_MS_MAX = 60_000;

describeOnBothDatabases('exports of one story', ({ name, newDatabase }) => {
  const stories = STORIES[name];
  let database: StorageConfig;
  const servers: ServerApp[] = [];

  beforeAll(async () => {
    database = await newDatabase('any_order');
    // Postgres has several instances: exporters meet different ones.
    for (let n = 0; n < (name === 'Postgres' ? 2 : 1); n++) servers.push(await startServerApp(database));
  });
  afterAll(async () => {
    for (const server of servers) await server.close();
  });

  it(
    `leave the same in any order and split (${stories} stories), and every token counts once`,
    async () => {
      const teller = new StoryTeller(servers);
      await fc.assert(
        fc.asyncProperty(drawnStory, fc.nat(), async (story, seed) => {
          const plain = await teller.outcome(await teller.tellPlainly(story));
          const anyhow = await teller.outcome(await teller.tellAnyhow(story, seed));
          expect(anyhow).toEqual(plain);
          const { traces, spans, summary, series } = anyhow;
          expect(summary).toEqual(naiveSummary(traces.length, spans));
          expect(series).toEqual({ buckets: naiveSeries({ group_by: 'hour' }, spans) });
          for (const trace of traces) expect(trace.total_tokens).toBe(countedTokens(story, trace.id));
        }),
        // Stories are not made smaller: that takes hundreds of runs. The printed seed repeats this one.
        { numRuns: stories, endOnFailure: true },
      );
    },
    stories * STORY_MS_MAX,
  );

  it('agree with a recount of the rows', async () => {
    if (database.dialect === 'sqlite') {
      const { wrongRollUps, halves } = recount(dirname(database.file));
      expect({ wrongRollUps, halves }).toEqual({ wrongRollUps: [], halves: 0 });
    }
    // The analytics in whole trillionths of a dollar.
    const { differed } = await rebuildRollups(servers[0]!.storage);
    expect(differed).toBe(false);
  });
});
