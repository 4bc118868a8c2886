import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { createLogger } from '../log/logger.js';
import { PeriodicTask } from './periodic-task.js';

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
});
