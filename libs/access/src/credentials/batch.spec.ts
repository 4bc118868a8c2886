import { describe, expect, it } from '@jest/globals';
import { Batch } from './batch.js';

describe('a batch', () => {
  it('asks once for all of one turn, each key once', async () => {
    const asked: (readonly string[])[] = [];
    const batch = new Batch(
      async (keys) => {
        asked.push(keys);
        return keys.filter((key) => key !== 'b').map((key) => ({ key }));
      },
      ({ key }) => key,
    );
    expect(await Promise.all(['a', 'b', 'a', 'c'].map((key) => batch.find(key)))).toEqual([
      { key: 'a' },
      undefined,
      { key: 'a' },
      { key: 'c' },
    ]);
    expect(await batch.find('a')).toEqual({ key: 'a' });
    expect(asked).toEqual([['a', 'b', 'c'], ['a']]);
  });

  it('fails for all of a turn, and for no later one', async () => {
    let fails = true;
    const batch = new Batch<string>(
      async (keys) => {
        if (fails) throw new Error('no database');
        return [...keys];
      },
      (key) => key,
    );
    const both = await Promise.allSettled([batch.find('a'), batch.find('b')]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    fails = false;
    expect(await batch.find('a')).toBe('a');
  });
});
