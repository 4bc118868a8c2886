import { describe, expect, it } from '@jest/globals';
import { Rotation } from './rotation.js';

/** What comes out, in order. */
function drained(rotation: Rotation<string>): string[] {
  const out: string[] = [];
  for (let item = rotation.take(); item !== undefined; item = rotation.take()) out.push(item);
  return out;
}

describe('a rotation', () => {
  it('has organizations take turns, within them projects, within these runs', () => {
    const rotation = new Rotation<string>();
    for (const run of ['r1', 'r2']) for (const n of [1, 2]) rotation.add(['a', 'p1', run], `a/p1/${run}/${n}`);
    rotation.add(['a', 'p2', 'r1'], 'a/p2/r1/1');
    rotation.add(['b', 'p1', 'r1'], 'b/p1/r1/1');
    rotation.add(['b', 'p1', 'r1'], 'b/p1/r1/2');
    expect(rotation.size).toBe(7);
    expect(drained(rotation)).toEqual([
      ...['a/p1/r1/1', 'b/p1/r1/1'],
      ...['a/p2/r1/1', 'b/p1/r1/2'],
      ...['a/p1/r2/1', 'a/p1/r1/2', 'a/p1/r2/2'],
    ]);
    expect([rotation.size, rotation.take()]).toEqual([0, undefined]);
  });

  it('gives one that comes late its turn after one of each other, however much these have waiting', () => {
    const rotation = new Rotation<string>();
    for (let run = 0; run < 100; run++) for (let n = 0; n < 50; n++) rotation.add(['many', 'p', `r${run}`], 'many');
    rotation.add(['late', 'p', 'r'], 'late');
    expect([rotation.take(), rotation.take(), rotation.take()]).toEqual(['many', 'late', 'many']);
    rotation.add(['late', 'p', 'r'], 'late');
    expect([rotation.take(), rotation.take()]).toEqual(['many', 'late']);
    expect(drained(rotation)).toHaveLength(4_997);
  });

  it('keeps the order of what has no groups', () => {
    const rotation = new Rotation<number>();
    const all = Array.from({ length: 5_000 }, (_, n) => n);
    for (const n of all) rotation.add([], n);
    const out = all.map(() => rotation.take());
    expect(out).toEqual(all);
  });
});
