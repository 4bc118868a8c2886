import { describe, expect, it } from '@jest/globals';
import { SeenIds } from './seen-ids.js';

const ids = (prefix: string, count: number): string[] => Array.from({ length: count }, (_, n) => `${prefix}${n}`);

describe('ids that were seen', () => {
  it('are all known, and hardly any other is', () => {
    // A quarter of the memory of an import, and a quarter of the ids that are few for it.
    const seen = new SeenIds(1024 * 1024);
    const added = ids('01KB3Q5Z', 25_000);
    for (const id of added) seen.add(id);
    expect(added.every((id) => seen.has(id))).toBe(true);
    expect(ids('01KB3Q60', 25_000).filter((id) => seen.has(id)).length).toBeLessThan(2);
  });

  it('are known when there are more than there is room for', () => {
    const seen = new SeenIds(1024);
    for (const id of ids('a', 10_000)) seen.add(id);
    expect(ids('a', 10_000).every((id) => seen.has(id))).toBe(true);
  });
});
