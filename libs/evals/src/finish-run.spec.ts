import { describe, expect, it } from '@jest/globals';
import type { EvalRunRow } from './eval-run.entity.js';
import { RUN_STATUS } from './eval-run.js';
import { FinishRun, whyAllFailed } from './finish-run.js';

const gate = { metric: 'mean', op: '>=', value: 0.5 };

const RUN = {
  ...{ projectId: 'p', id: 'r', status: RUN_STATUS.running, leaseOwner: 'me', leaseUntil: 9, progress: 2, total: 2 },
  ...{ failedCount: 0, scoreSum: 1, scoreCount: 2, gates: JSON.stringify([gate]), error: null },
} as EvalRunRow;

/**
 * Finishes a run. @param rows it as it is each time it is read, first outside a transaction and then within one, and so on.
 * @param counters what its rows come to, where that is not what it says.
 * @returns what was written, the events, and how often the run was judged.
 */
async function finish(rows: (EvalRunRow | null)[], owner: string | null = 'me', counters: Partial<EvalRunRow> = {}) {
  const read = () => rows.shift() ?? null;
  const written: EvalRunRow[] = [];
  const events: unknown[] = [];
  let judged = 0;
  const tx = { end: { afterCommit: (hook: () => void) => hook() } };
  const parts = [
    { write: (work: (tx: unknown) => unknown) => work(tx) },
    {
      find: async () => read(),
      findForWrite: async () => [read()],
      recount: async () => counters,
      update: async (_tx: unknown, run: EvalRunRow) => void written.push(run),
    },
    { errorsForWrite: async () => [{ error: 'no answer', count: 2 }] },
    {
      execute: async (_scope: unknown, run: EvalRunRow) => {
        judged++;
        return {
          gates: run.gates === null ? [] : [{ ...gate, actual: run.scoreSum, passed: run.scoreSum >= 0.5 }],
          score: { se: 0.1, ci: null },
          measures: null,
        };
      },
    },
    { emit: async (_tx: unknown, _scope: unknown, event: unknown) => void events.push(event) },
    { countOutcomes: () => undefined },
    { completed: () => undefined },
  ] as unknown as ConstructorParameters<typeof FinishRun>;
  await new FinishRun(...parts).execute({ projectId: 'p', id: 'r' }, owner);
  return { written, events, judged };
}

describe('finishing a run', () => {
  const completed = { type: 'eval_completed', run_id: 'r' };

  it('writes what was judged with its end', async () => {
    const { written, events, judged } = await finish([RUN, RUN]);
    expect(written).toEqual([
      {
        ...RUN,
        ...{ status: RUN_STATUS.completed, endedAt: expect.any(Number), leaseOwner: null, leaseUntil: 0 },
        ...{ scoreSe: 0.1, scoreCi: null, measures: null, passed: 1 },
        gates: JSON.stringify([{ ...gate, actual: 1, passed: true }]),
      },
    ]);
    expect([events, judged]).toEqual([[completed], 1]);
  });

  it('judges again what has changed meanwhile', async () => {
    const replaced = { ...RUN, scoreSum: 0.2 };
    const without = { ...replaced, gates: null };
    const { written, events, judged } = await finish([RUN, replaced, replaced, without, without, without]);
    expect(written).toMatchObject([{ status: RUN_STATUS.completed, gates: null, passed: null, scoreSum: 0.2 }]);
    expect([events, judged]).toEqual([[completed], 3]);
  });

  it('writes counters as its rows have them, whatever a server of another version has left', async () => {
    const wrong = { ...RUN, sampleProgress: 1, failedSamples: 0 };
    const counters = { failedCount: 1, sampleProgress: 4, failedSamples: 3 };
    const { written } = await finish([wrong, wrong], 'me', counters);
    expect(written).toMatchObject([{ ...counters, status: RUN_STATUS.completed, progress: 2, total: 2 }]);
  });

  it('counts again where a sample has come meanwhile', async () => {
    const more = { ...RUN, sampleProgress: 5 };
    expect(await finish([RUN, more, more, more])).toMatchObject({ written: [{ sampleProgress: 5 }], judged: 2 });
  });

  it('says why all items failed', async () => {
    const failed = { ...RUN, failedCount: 2 };
    expect((await finish([failed, failed])).written[0]!.error).toBe('"all 2 items failed: no answer"');
    const empty = { ...RUN, total: 0, progress: 0 };
    expect((await finish([empty, empty])).written[0]).toMatchObject({ error: null, status: RUN_STATUS.completed });
  });

  it('leaves a run that is not through, not running, or not its own', async () => {
    const others = [
      null,
      { ...RUN, progress: 1 },
      { ...RUN, status: RUN_STATUS.cancelled },
      { ...RUN, leaseOwner: 'another' },
      { ...RUN, leaseOwner: null },
    ];
    for (const run of others) {
      expect(await finish([run])).toEqual({ written: [], events: [], judged: 0 });
      expect(await finish([RUN, run])).toEqual({ written: [], events: [], judged: 1 });
    }
    const unowned = { ...RUN, leaseOwner: null };
    expect((await finish([unowned, unowned], null)).events).toEqual([completed]);
  });
});

describe('why all items of a run failed', () => {
  it('is reported once when it is the same for all', () => {
    expect(whyAllFailed(9, [{ error: 'no answer', count: 9 }])).toBe('all 9 items failed: no answer');
    expect(whyAllFailed(1, [{ error: 'no answer', count: 1 }])).toBe('the only item failed: no answer');
  });

  it('is the commonest reason, with how many items have it', () => {
    const errors = [
      { error: 'HTTP 500 from http://a: no', count: 3 },
      { error: 'HTTP 429 from http://a: wait 1.5 s (req_a81bc81b)', count: 2 },
      { error: 'HTTP 429 from http://a: wait 20 s (req_77cd0aa2)', count: 1 },
      { error: 'HTTP 429 from http://a: wait 3 s (req_1234abcd)', count: 1 },
    ];
    expect(whyAllFailed(7, errors)).toBe(
      'all 7 items failed: HTTP 429 from http://a: wait 1.5 s (req_a81bc81b) (4 of 7)',
    );
  });

  it('keeps statuses of HTTP apart, and joins what differs in quoted text', () => {
    const statuses = [
      { error: 'HTTP 401 from S', count: 1 },
      { error: 'HTTP 404 from S', count: 1 },
    ];
    expect(whyAllFailed(2, statuses)).toBe('all 2 items failed: HTTP 401 from S (1 of 2)');
    const quoted = [
      { error: 'no score in "yes"', count: 1 },
      { error: 'no score in "perhaps"', count: 1 },
    ];
    expect(whyAllFailed(2, quoted)).toBe('all 2 items failed: no score in "yes"');
  });

  it.each(['a', '1.'])('is found in millions of "%s"', (repeated) => {
    const error = repeated.repeat(9_000_000);
    expect(whyAllFailed(1, [{ error, count: 1 }])).toBe(`the only item failed: ${error}`);
  });
});
