/** A project moves to another instance in the middle of its traces: nothing of them is lost, and nothing counts twice. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { describeOnBothDatabases } from '../support/databases.ts';
import { THOROUGH } from '../support/repetitions.ts';
import { startTransferServer, type TransferServer } from '../transfer/transfer-server.ts';
import { drawnStory, partsOf } from './export-story.ts';
import { countedTokens, StoryTeller, type Outcome } from './tell-story.ts';

/** Fewer on Postgres, where each takes twice the time. */
const STORIES = { SQLite: THOROUGH ? 40 : 6, Postgres: THOROUGH ? 40 : 2 };

describeOnBothDatabases('a project that moves between two exports of its traces', ({ name, newDatabase }) => {
  const stories = STORIES[name];
  let server: TransferServer;
  beforeAll(async () => {
    server = await startTransferServer(await newDatabase('moved'));
  });
  afterAll(() => server?.close());

  it(`becomes what it would have become (${stories} stories)`, async () => {
    const teller = new StoryTeller([server]);
    // Log events that wait do not move.
    const withoutLogs = drawnStory.map((story) => ({ ...story, logs: [] }));
    await fc.assert(
      fc.asyncProperty(withoutLogs, fc.nat(), fc.nat(9), async (story, seed, tenths) => {
        const parts = partsOf(story);
        const order = teller.shuffled(parts, seed);
        const before = order.slice(0, Math.ceil((order.length * tenths) / 10));
        const [from, to] = [server.project(), server.project()];
        await teller.report(from, before);
        const file = await server.export(from);
        await server.restore(to, file);
        const imported = await server.export(to);
        await server.restore(to, file);
        expect(await server.export(to).then(undatedLines)).toEqual(undatedLines(imported));
        await teller.report(to, order.slice(before.length));
        const moved = await teller.outcome(to);
        expect(withoutReportedCosts(moved)).toEqual(
          withoutReportedCosts(await teller.outcome(await teller.tellPlainly(story))),
        );
        for (const trace of moved.traces) expect(trace.total_tokens).toBe(countedTokens(story, trace.id));
      }),
      { numRuns: stories },
    );
  });
});

const undatedLines = (file: string): string[] => file.split('\n').slice(1);

/** A cost that was estimated before the move is one that the file reports. */
function withoutReportedCosts(outcome: Outcome): Outcome {
  const spans = outcome.spans.map((span) => {
    const reported = span.metadata['reported_usage'];
    if (typeof reported !== 'object' || reported === null) return span;
    return { ...span, metadata: { ...span.metadata, reported_usage: { ...reported, cost: undefined } } };
  });
  return { ...outcome, spans };
}
