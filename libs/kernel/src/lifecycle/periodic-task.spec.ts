import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { VirtualTimeScheduler } from 'rxjs';
import { createLogger } from '../log/logger.js';
import { PeriodicTask, type PeriodicTaskOptions } from './periodic-task.js';

const lines: string[] = [];
const logger = createLogger('warn', 'test', { write: (line: string) => void lines.push(line) });

describe('a periodic task', () => {
  it('is done again and again, never twice at once, and goes on after a failure', async () => {
    let [runs, now, most] = [0, 0, 0];
    const task = new PeriodicTask({
      everyMs: 1,
      logger,
      failure: 'it did not work',
      task: async () => {
        most = Math.max(most, ++now);
        await pause(5);
        now--;
        if (++runs === 2) throw new Error('once');
      },
    });
    task.start();
    while (runs < 4) await pause(2);
    await task.stop();
    expect(most).toBe(1);
    expect(lines.join()).toContain('it did not work');
    const atStop = runs;
    await pause(20);
    expect(runs).toBe(atStop);
  });

  it('is waited for by its stop, and notified of it', async () => {
    const seen: string[] = [];
    const task = new PeriodicTask({
      everyMs: 1,
      logger,
      failure: 'x',
      task: async (stopped) => {
        seen.push('begun');
        while (!stopped.aborted) await pause(1);
        await pause(5);
        seen.push('over');
      },
    });
    task.start();
    while (seen.length === 0) await pause(1);
    await task.stop();
    expect(seen).toEqual(['begun', 'over']);
  });

  it('is done at once when hurried, and once more when that came while it was under way', async () => {
    let runs = 0;
    const { promise: goOn, resolve: letGo } = Promise.withResolvers<void>();
    const task = new PeriodicTask({
      everyMs: 60_000,
      logger,
      failure: 'x',
      task: async () => {
        runs++;
        await goOn;
      },
    });
    task.hurry();
    await pause(20);
    expect(runs).toBe(0);
    task.start();
    task.hurry();
    while (runs === 0) await pause(1);
    for (let time = 0; time < 3; time++) task.hurry();
    letGo();
    while (runs < 2) await pause(1);
    await pause(20);
    await task.stop();
    expect(runs).toBe(2);
  });

  describe('by a clock of the test', () => {
    /** A task that fails as long as it is asked to, and the moments in which it began. */
    function withClock(options: Partial<PeriodicTaskOptions>) {
      const scheduler = new VirtualTimeScheduler();
      const begun: number[] = [];
      const state = { fails: false };
      const task = new PeriodicTask({
        everyMs: 1_000,
        logger,
        failure: 'it failed',
        scheduler,
        ...options,
        task: async () => {
          begun.push(scheduler.frame);
          if (state.fails) throw new Error('thrown on purpose');
        },
      });
      /** Goes on to the next moment in which something is due, until the task has begun so often. */
      const until = async (times: number): Promise<number[]> => {
        while (begun.length < times) {
          scheduler.flush();
          await pause(0);
        }
        return begun;
      };
      return { task, state, until };
    }

    it('begins after the first pause, and again after each end', async () => {
      const { task, until } = withClock({ firstMs: 5 });
      task.start();
      expect(await until(3)).toEqual([5, 1_005, 2_005]);
      await task.stop();
    });

    it('pauses longer after each failure in a row, and logs the first of them and that it works again', async () => {
      lines.length = 0;
      const { task, state, until } = withClock({
        firstMs: 0,
        pausesMs: { first: 100, longest: 250 },
        recovery: 'it works again',
      });
      state.fails = true;
      task.start();
      const begun = await until(4);
      const pauses = begun.slice(1).map((at, n) => at - begun[n]!);
      for (const [n, most] of [100, 200, 250].entries()) {
        expect(pauses[n]).toBeGreaterThanOrEqual(most / 2);
        expect(pauses[n]).toBeLessThanOrEqual(most);
      }
      state.fails = false;
      await until(5);
      await task.stop();
      expect(lines.filter((line) => line.includes('it failed'))).toHaveLength(1);
    });

    it('waits a little for others when it is hurried', async () => {
      const { task, until } = withClock({ gatherMs: 20 });
      task.start();
      for (let time = 0; time < 3; time++) task.hurry();
      expect(await until(2)).toEqual([20, 1_020]);
      await task.stop();
    });
  });
});
