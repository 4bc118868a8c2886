import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { ShortMemory } from './short-memory.js';

/** Counts how often it is asked. */
function asked() {
  let times = 0;
  return { ask: () => Promise.resolve(++times), times: () => times };
}

describe('a short memory', () => {
  beforeEach(() => {
    jest.useFakeTimers();
  });
  afterEach(() => {
    jest.useRealTimers();
  });

  it('asks once for all who ask at once, and again when the answer is too old', async () => {
    const memory = new ShortMemory<number>(500, 10);
    const { ask } = asked();
    expect(await Promise.all([memory.get('a', ask), memory.get('a', ask)])).toEqual([1, 1]);
    jest.advanceTimersByTime(499);
    expect(await memory.get('a', ask)).toBe(1);
    jest.advanceTimersByTime(1);
    expect(await memory.get('a', ask)).toBe(2);
  });

  it('counts the age from the question: an answer that took long is not shown longer', async () => {
    const memory = new ShortMemory<string>(500, 10);
    const slow = Promise.withResolvers<string>();
    const first = memory.get('a', () => slow.promise);
    jest.advanceTimersByTime(500);
    expect(await memory.get('a', async () => 'new')).toBe('new');
    slow.resolve('old');
    expect(await first).toBe('old');
    expect(await memory.get('a', async () => 'newer')).toBe('new');
  });

  it('does not remember a failure', async () => {
    const memory = new ShortMemory<string>(500, 10);
    await expect(memory.get('a', () => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
    expect(await memory.get('a', async () => 'back')).toBe('back');
  });

  it('keeps no more than it may, and nothing that is too old', async () => {
    const memory = new ShortMemory<number>(500, 10);
    for (let index = 0; index < 100; index++) await memory.get(String(index), async () => index);
    expect(memory.size).toBe(10);
    const { ask, times } = asked();
    await memory.get('99', ask);
    expect(times()).toBe(0);
    jest.advanceTimersByTime(500);
    await memory.get('100', ask);
    expect(memory.size).toBe(1);
  });

  it('shows what is there without waiting', async () => {
    const memory = new ShortMemory<number>(500, 10);
    const { ask } = asked();
    await memory.get('a', ask);
    expect(memory.get('a', ask)).toBe(1);
  });

  it('shows no answer that is older than it may be, also while nothing can be found out', async () => {
    const memory = new ShortMemory<string>(500, 10);
    await memory.get('a', async () => 'first');
    const away = (): Promise<string> => Promise.reject(new Error('away'));
    jest.advanceTimersByTime(499);
    expect(memory.get('a', away)).toBe('first');
    jest.advanceTimersByTime(1);
    await expect(memory.get('a', away)).rejects.toThrow('away');
    expect(await memory.get('a', async () => 'second')).toBe('second');
  });

  it('forgets what has changed here, and what was being found out', async () => {
    const memory = new ShortMemory<string>(500, 10);
    const before = memory.get('a', async () => 'first');
    memory.forget('a');
    await before;
    expect(await memory.get('a', async () => 'second')).toBe('second');
  });
});
