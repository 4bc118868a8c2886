import { describe, expect, it } from '@jest/globals';
import { SeenIds } from './seen-ids.js';

const ids = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, n) => `${prefix}${n}`);

describe('ids that were seen', () => {
  it('are all known, and hardly any other is', () => {
    const seen = new SeenIds();
    for (const id of ids('01KB3Q5Z', 100_000)) seen.add(id);
    expect(ids('01KB3Q5Z', 100_000).every((id) => seen.has(id))).toBe(true);
    expect(ids('01KB3Q60', 100_000).filter((id) => seen.has(id)).length).toBeLessThan(5);
  });

  it('are known when there are more than there is room for', () => {
    const seen = new SeenIds(1024);
    for (const id of ids('a', 10_000)) seen.add(id);
    expect(ids('a', 10_000).every((id) => seen.has(id))).toBe(true);
  });
});
