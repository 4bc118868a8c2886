import { describe, expect, it, jest } from '@jest/globals';
import { pauseUnlessStopped, withinMs } from './time.js';

const never = new Promise<never>(() => undefined);
const HOUR_MS = 3_600_000;

describe('withinMs', () => {
  it('brings what the work brings, and leaves no timer behind', async () => {
    jest.useFakeTimers();
    try {
      await expect(withinMs(HOUR_MS, Promise.resolve('done'), () => 'late')).resolves.toBe('done');
      await expect(withinMs(HOUR_MS, Promise.reject(new Error('failed')), () => 'late')).rejects.toThrow('failed');
      expect(jest.getTimerCount()).toBe(0);
    } finally {
      jest.useRealTimers();
    }
  });

  it('brings something in its place, or throws, when the time is over', async () => {
    expect(await withinMs(1, never, () => 'late')).toBe('late');
    const refuse = (): never => {
      throw new Error('no answer');
    };
    await expect(withinMs(1, never, refuse)).rejects.toThrow('no answer');
  });

  it('does not call for what is late when it is not', async () => {
    const late = jest.fn(() => 'late');
    await withinMs(1, Promise.resolve(), late);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(late).not.toHaveBeenCalled();
  });

  it('lets late work fail without anybody hearing of it', async () => {
    const { promise, reject } = Promise.withResolvers<never>();
    expect(await withinMs(1, promise, () => 'late')).toBe('late');
    reject(new Error('too late'));
    await new Promise(setImmediate);
  });
});

describe('pauseUnlessStopped', () => {
  it('ends at once when it is stopped, before or meanwhile', async () => {
    await pauseUnlessStopped(HOUR_MS, AbortSignal.abort());
    const stopping = new AbortController();
    const paused = pauseUnlessStopped(HOUR_MS, stopping.signal);
    stopping.abort();
    await paused;
  });
});
