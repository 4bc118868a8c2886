import { describe, expect, it } from '@jest/globals';
import { Acknowledged } from './acknowledged.ts';

const nothing = { lost: 0, unfinished: 0, doubled: 0, unknown: 0 };

describe('what was acknowledged', () => {
  it('must be there, as far as it was acknowledged', () => {
    const acknowledged = new Acknowledged();
    expect(acknowledged.take(5)).toBe(0);
    acknowledged.created(0);
    acknowledged.created(1);
    acknowledged.completed(1);
    acknowledged.completed(2);
    const look = acknowledged.look(0);
    look.see(0, false);
    look.see(1, true);
    look.see(2, true);
    // Sent and not acknowledged: it may be there.
    look.see(3, true);
    expect(look.end()).toEqual({ ...nothing, expected: 3 });
    expect(acknowledged.changes).toBe(5);
  });

  it('is found lost, unfinished, doubled or unknown', () => {
    const acknowledged = new Acknowledged();
    acknowledged.take(3);
    for (const n of [0, 1, 2]) acknowledged.completed(n);
    const look = acknowledged.look(0);
    look.see(0, false);
    look.see(1, true);
    look.see(1, true);
    look.see(3, true);
    look.see(Number.NaN, true);
    expect(look.end()).toEqual({ lost: 1, unfinished: 1, doubled: 1, unknown: 2, expected: 3 });
  });

  it('is looked for from a number on', () => {
    const acknowledged = new Acknowledged();
    acknowledged.take(2);
    acknowledged.created(0);
    acknowledged.created(1);
    const look = acknowledged.look(1);
    look.see(1, false);
    expect(look.end()).toEqual({ ...nothing, expected: 1 });
  });

  it('grows with what is sent', () => {
    const acknowledged = new Acknowledged();
    acknowledged.take(1);
    acknowledged.created(0);
    const first = acknowledged.take(200_000);
    acknowledged.completed(first + 199_999);
    expect(acknowledged.count).toBe(200_001);
    expect(acknowledged.look(0).end()).toEqual({ ...nothing, lost: 2, expected: 2 });
  });
});
