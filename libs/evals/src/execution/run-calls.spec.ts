import { describe, expect, it } from '@jest/globals';
import { CallPace } from './run-calls.js';

const { signal } = new AbortController();

/** Everything that is due has happened. */
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** How many of so many calls begin now; they are under way then. */
async function begin(pace: CallPace, count: number): Promise<{ begun: number; all: Promise<unknown> }> {
  let begun = 0;
  const all = Promise.all(Array.from({ length: count }, () => pace.enter(signal).then(() => begun++)));
  await settled();
  return { begun, all };
}

function end(pace: CallPace, count: number, succeeded = true): void {
  for (let ended = 0; ended < count; ended++) {
    if (succeeded) pace.noteSuccess();
    pace.leave();
  }
}

describe('the pace of calls', () => {
  it('is free until a call is refused', async () => {
    expect((await begin(new CallPace(4), 100)).begun).toBe(100);
  });

  it('is halved once for all calls that were under way, and then again, down to one', async () => {
    const pace = new CallPace(8);
    await begin(pace, 8);
    for (let refused = 0; refused < 8; refused++) pace.slow(0);
    end(pace, 8, false);
    const next = await begin(pace, 8);
    expect(next.begun).toBe(4);
    const begun = pace.reenter();
    pace.leave();
    pace.slow(begun);
    pace.slow(pace.reenter());
    pace.slow(pace.reenter());
    end(pace, 6, false);
    await settled();
    expect((await begin(pace, 8)).begun).toBe(0);
  });

  it('grows by one after as many successes as go on at once, up to what it was', async () => {
    const pace = new CallPace(4);
    pace.slow(pace.reenter());
    pace.leave();
    for (const limit of [2, 3]) {
      const waiting = await begin(pace, limit + 1);
      expect(waiting.begun).toBe(limit);
      end(pace, limit + 1, false);
      await waiting.all;
      for (let success = 0; success < limit; success++) pace.noteSuccess();
    }
    expect((await begin(pace, 100)).begun).toBe(100);
  });

  it('lets nothing begin while it is held, but for retries', async () => {
    const pace = new CallPace(4);
    const ends = [pace.hold(), pace.hold()];
    const waiting = await begin(pace, 1);
    pace.reenter();
    ends[0]!();
    await settled();
    expect([waiting.begun, pace.isHeld]).toEqual([0, true]);
    ends[1]!();
    await waiting.all;
    expect(pace.isHeld).toBe(false);
  });

  it('is held as long as an answer asks for, and a minute at most', async () => {
    const waits: number[] = [];
    const real = setTimeout;
    globalThis.setTimeout = ((work: () => void, ms: number) => (waits.push(ms), real(work, 1))) as never;
    try {
      const pace = new CallPace(4);
      for (const retryAfterMs of [5_000, 3_600_000, 0, undefined]) {
        pace.slow(pace.reenter(), retryAfterMs);
        pace.leave();
      }
      expect(pace.isHeld).toBe(true);
      await pace.enter(signal);
      expect(waits).toEqual([5_000, 60_000]);
    } finally {
      globalThis.setTimeout = real;
    }
  });

  it('is left by who is stopped', async () => {
    const pace = new CallPace(4);
    pace.hold();
    const abort = new AbortController();
    const waiting = pace.enter(abort.signal);
    abort.abort(new Error('stopping'));
    await expect(waiting).rejects.toThrow('stopping');
    await expect(pace.enter(abort.signal)).rejects.toThrow('stopping');
  });
});
