import { describe, expect, it } from '@jest/globals';
import { createLogger } from '@spandrel/kernel';
import type { WriteTx } from '@spandrel/storage';
import type { EvalRunStore, RunKey } from '../eval-run.store.js';
import { LocalDispatch } from './local-dispatch.js';
import { RUNS_AT_ONCE, runTiming } from './run-dispatch.js';

const runOf = (number: number): RunKey => ({ projectId: 'p', id: `r${number}` });

/** A dispatch over a table of unfinished runs, and the ends of those that are worked on. */
function dispatchOver(waiting: RunKey[]) {
  const ends = new Map<string, () => void>();
  const begun: string[] = [];
  const runs = { release: async () => undefined, abandoned: async () => [...waiting] };
  const dispatch = new LocalDispatch(
    runs as unknown as EvalRunStore,
    { ...runTiming(false), pollMs: 60_000 },
    createLogger('silent', 'test'),
  );
  const handler = async ({ id }: RunKey): Promise<undefined> => {
    begun.push(id);
    const { promise, resolve } = Promise.withResolvers<undefined>();
    ends.set(id, () => {
      waiting.splice(
        waiting.findIndex((run) => run.id === id),
        1,
      );
      resolve(undefined);
    });
    return promise;
  };
  return { dispatch, handler, ends, begun };
}

function transaction() {
  const after: (() => void)[] = [];
  const tx = { end: { afterCommit: (work: () => void) => void after.push(work) } } as unknown as WriteTx;
  return { tx, commit: () => after.forEach((work) => work()) };
}

describe('the dispatch of one process', () => {
  it('works on so many runs at once, and takes up the next when there is room', async () => {
    const waiting = Array.from({ length: RUNS_AT_ONCE + 2 }, (_, number) => runOf(number));
    const { dispatch, handler, ends, begun } = dispatchOver(waiting);
    await dispatch.start(handler);
    expect(begun).toHaveLength(RUNS_AT_ONCE);
    ends.get('r7')!();
    while (begun.length === RUNS_AT_ONCE) await new Promise(setImmediate);
    expect(begun).toHaveLength(RUNS_AT_ONCE + 1);
    expect(new Set(begun).size).toBe(begun.length);
    for (const end of ends.values()) end();
    await dispatch.stop();
  });

  it('takes a run again that was brought while it was worked on', async () => {
    const { dispatch, handler, ends, begun } = dispatchOver([]);
    await dispatch.start(handler);
    const bring = async (): Promise<void> => {
      const { tx, commit } = transaction();
      await dispatch.enqueue(tx, runOf(1));
      commit();
    };
    await bring();
    await bring();
    await bring();
    expect(begun).toEqual(['r1']);
    ends.get('r1')!();
    while (begun.length === 1) await new Promise(setImmediate);
    ends.get('r1')!();
    await dispatch.stop();
    expect(begun).toEqual(['r1', 'r1']);
  });

  it('hears of a run when its transaction is committed, takes it once, and none after the stop', async () => {
    const { dispatch, handler, ends, begun } = dispatchOver([]);
    await dispatch.start(handler);
    const first = transaction();
    await dispatch.enqueue(first.tx, runOf(1));
    await dispatch.enqueue(first.tx, runOf(1));
    expect(begun).toEqual([]);
    first.commit();
    expect(begun).toEqual(['r1']);
    const stopped = dispatch.stop();
    const late = transaction();
    await dispatch.enqueue(late.tx, runOf(2));
    late.commit();
    ends.get('r1')!();
    await stopped;
    expect(begun).toEqual(['r1']);
  });

  it('has room again for a run whose handler failed', async () => {
    const { dispatch } = dispatchOver([]);
    let calls = 0;
    await dispatch.start(async () => {
      calls++;
      throw new Error('thrown on purpose');
    });
    for (const times of [1, 2]) {
      const { tx, commit } = transaction();
      await dispatch.enqueue(tx, runOf(1));
      commit();
      expect(calls).toBe(times);
      for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    }
    await dispatch.stop();
  });
});
