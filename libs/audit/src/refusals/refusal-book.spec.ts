import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RefusalBook, type RefusalKind } from './refusal-book.js';

const BOUNDS = { burst: 3, everyMs: 1_000, kindsMax: 5 };

const kind = (over: Partial<RefusalKind> = {}): RefusalKind => ({
  ...{ orgId: 'o', projectId: 'p', actor: 'key:k', actorName: 'k', address: '::1' },
  ...{ action: 'request.refused', target: 'GET /api/traces', targetName: null },
  ...{ code: 'insufficient_scope', details: { status: 403 } },
  ...over,
});

describe('the book of refusals', () => {
  it('counts those of one kind together, with the first and the last time', () => {
    const book = new RefusalBook(BOUNDS);
    for (const now of [10, 20, 30]) book.note(kind(), `request-${now}`, now);
    book.note(kind({ address: '::2' }), 'other', 40);
    expect(book.take(50)).toEqual([
      { ...kind(), count: 3, firstAt: 10, lastAt: 30, requestId: 'request-10' },
      { ...kind({ address: '::2' }), count: 1, firstAt: 40, lastAt: 40, requestId: 'other' },
    ]);
    expect(book.take(60)).toEqual([]);
  });

  it('reports those beyond the bounds together once it may, and keeps organizations apart', () => {
    const book = new RefusalBook(BOUNDS);
    for (let n = 0; n < 5; n++) book.note(kind({ address: `a${n}` }), 'r', n);
    book.note(kind({ orgId: null, projectId: null }), 'r', 9);
    expect(book.take(10).map(({ orgId, address }) => [orgId, address])).toEqual([
      ['o', 'a0'],
      ['o', 'a1'],
      ['o', 'a2'],
      [null, null],
    ]);
    expect(book.take(500).map(({ orgId }) => orgId)).toEqual([]);
    book.note(kind({ address: 'late' }), 'r', 600);
    expect(book.take(1_010)).toMatchObject([{ orgId: 'o', actor: 'key:k', address: 'late', count: 1 }]);
    expect(book.take(2_010)).toMatchObject([
      { orgId: 'o', actor: null, address: null, target: null, code: null, count: 2, firstAt: 3, lastAt: 4 },
    ]);
  });

  it('lets no number of people who are not signed in take the place of requests, nor of each other without a count', () => {
    const book = new RefusalBook(BOUNDS);
    const signIn = { action: 'session.refused', orgId: null, projectId: null, code: 'no_role' } as const;
    for (let n = 0; n < 4; n++) book.note(kind({ ...signIn, target: `person-${n}`, actor: `person:${n}` }), 'r', n);
    for (let n = 0; n < 50; n++) book.note(kind({ ...signIn, target: 'person-0', actor: 'person:0' }), 'r', 10 + n);
    book.note(kind({ orgId: null, projectId: null }), 'r', 60);
    expect(book.take(70).map(({ action, target, count }) => [action, target, count])).toEqual([
      ['session.refused', 'person-0', 51],
      ['session.refused', 'person-1', 1],
      ['session.refused', 'person-2', 1],
      ['request.refused', 'GET /api/traces', 1],
    ]);
    expect(book.take(1_070)).toMatchObject([{ action: 'session.refused', target: null, actor: null, count: 1 }]);
  });

  it('gives out everything at the end, one for an organization', () => {
    const book = new RefusalBook(BOUNDS);
    for (let n = 0; n < 20; n++) book.note(kind({ orgId: n % 2 ? 'o' : null, address: `a${n}` }), 'r', n);
    const rest = book.takeRest();
    expect(rest.map(({ orgId }) => orgId).toSorted()).toEqual([null, 'o'].toSorted());
    expect(rest.reduce((sum, { count }) => sum + count, 0)).toBe(20);
  });

  it('loses none, and makes no more than the bounds allow', () => {
    const step = fc.record({
      orgId: fc.constantFrom(null, 'a', 'b'),
      address: fc.integer({ min: 0, max: 9 }).map(String),
      ms: fc.integer({ min: 0, max: 400 }),
      taken: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const book = new RefusalBook(BOUNDS);
        let now = 0;
        let counted = 0;
        const entries = new Map<string | null, number>();
        for (const { orgId, address, ms, taken } of steps) {
          now += ms;
          book.note(kind({ orgId, address }), 'r', now);
          for (const refusals of taken ? book.take(now) : []) {
            counted += refusals.count;
            entries.set(refusals.orgId, (entries.get(refusals.orgId) ?? 0) + 1);
          }
        }
        for (const count of entries.values()) expect(count).toBeLessThanOrEqual(3 + now / 1_000);
        expect(book.takeRest().reduce((sum, { count }) => sum + count, counted)).toBe(steps.length);
      }),
    );
  });
});
