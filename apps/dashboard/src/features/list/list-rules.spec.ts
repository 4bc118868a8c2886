import { describe, expect, it } from '@jest/globals';
import type { LiveEvent } from '../../live/live-event.js';
import {
  nextRequest,
  NOTHING,
  planAfter,
  planFor,
  countNew,
  describePending,
  describeCount,
  type RowChanges,
  type ShownList,
} from './list-rules.js';

const changed = (id: string): RowChanges => ({ changed: [id], hasNew: true });
const created: RowChanges = { hasNew: true };

/** The plan by what events say; an event stands for its place among them. */
function plan(...news: RowChanges[]) {
  const events = news.map((_, at) => ({ type: 'trace_deleted', trace_id: String(at) }) as LiveEvent);
  return planFor(NOTHING, { events, hasMissed: false }, (event) => news[events.indexOf(event)]!);
}
const list = (...visible: string[]): ShownList => ({ visible, firstPage: new Set(['a', 'b']), isFollowed: false });
const followed = (...visible: string[]): ShownList => ({ ...list(...visible), isFollowed: true });

describe('what live updates ask for', () => {
  it('is nothing where nothing happened', () => {
    expect(nextRequest(NOTHING, list('a'), 'rows')).toBeNull();
    expect(nextRequest(plan({}), list('a'), 'rows')).toBeNull();
  });

  it('is the first page when a row came or one of it changed', () => {
    for (const event of [created, changed('a'), changed('unknown')]) {
      expect(nextRequest(plan(event), list('a'), 'rows')).toEqual({ kind: 'first-page' });
    }
  });

  it('is the rows on screen alone where new rows come by their events', () => {
    expect(nextRequest(plan(created, changed('a'), changed('unknown')), followed('a', 'b'), 'rows')).toEqual({
      kind: 'rows',
      ids: ['a'],
    });
    expect(nextRequest(plan(created, changed('unknown')), followed('a', 'b'), 'rows')).toBeNull();
  });

  it('is the rows on screen beyond the first page, taking turns with it', () => {
    const busy = plan(changed('x'), changed('y'), changed('far'), created);
    const request = { kind: 'rows', ids: ['x', 'y'] } as const;
    expect(nextRequest(busy, list('x', 'y', 'z'), 'first-page')).toEqual(request);
    const rest = planAfter(busy, { kind: 'rows', ids: ['x', 'y'] }, list('x', 'y', 'z'));
    expect(nextRequest(rest, list('x', 'y', 'z'), 'rows')).toEqual({ kind: 'first-page' });
    expect(nextRequest(planAfter(rest, { kind: 'first-page' }, list('x')), list('x'), 'first-page')).toBeNull();
  });

  it('remembers what changed until it is looked at', () => {
    const rest = planAfter(plan(changed('x'), changed('a')), { kind: 'first-page' }, list('z'));
    expect(nextRequest(rest, list('z'), 'first-page')).toBeNull();
    expect(nextRequest(rest, list('x', 'a'), 'first-page')).toEqual({ kind: 'rows', ids: ['x'] });
  });

  it('is everything on screen where something was missed, or too much changed', () => {
    const many = plan(...Array.from({ length: 5_001 }, (_, at) => changed(String(at))));
    expect(many).toMatchObject({ hasMissed: true, changed: new Set() });
    for (const missed of [
      plan({ hasMissed: true }),
      planFor(NOTHING, { events: [], hasMissed: true }, () => ({})),
      many,
    ]) {
      expect(nextRequest(missed, followed('x', 'a'), 'first-page')).toEqual({ kind: 'rows', ids: ['x'] });
      expect(nextRequest(missed, followed('x', 'a'), 'rows')).toEqual({ kind: 'first-page' });
      expect(planAfter(missed, { kind: 'first-page' }, followed('x', 'a')).changed).toEqual(new Set(['x']));
    }
  });

  it('knows what is gone', () => {
    const gone = plan({ deleted: ['a'] }, { isCleared: true });
    expect([...gone.deleted, gone.isCleared]).toEqual(['a', true]);
  });
});

const shown = new Set(['d', 'c', 'b']);

describe('rows that are held', () => {
  it.each([
    ['nothing new', ['d', 'c', 'b'], 0],
    ['new ones above', ['f', 'e', 'd', 'c', 'b'], 2],
    ['one that belongs between', ['d', 'x', 'c', 'b'], 1],
    ['rows of the next page, moved up by a deletion', ['d', 'c', 'a'], 0],
    ['both', ['e', 'd', 'b', 'a'], 1],
    ['all deleted', [], 0],
  ])('%s', (_what, fresh, count) => {
    expect(countNew(shown, fresh, true)).toEqual({ count, isMore: false });
  });

  it('are more than a page where none of it is on screen', () => {
    expect(countNew(shown, ['z', 'y'], true)).toEqual({ count: 2, isMore: true });
    expect(countNew(new Set(), ['z'], false)).toEqual({ count: 1, isMore: false });
  });

  it('have words', () => {
    expect(describePending({ count: 1, isMore: false }, 'trace')).toBe('1 new trace');
    expect(describePending({ count: 50, isMore: false }, 'trace')).toBe('50 new traces');
    expect(describePending({ count: 200, isMore: true }, 'trace')).toBe('200+ new traces');
  });
});

describe('describe count', () => {
  const list = (length: number, isComplete: boolean, isWaiting = false) => ({ length, isComplete, isWaiting });

  describe('the words for how many rows a list has', () => {
    it('are exact where all of them were read', () => {
      expect(describeCount(list(1, true), undefined, 'span')).toBe('1 span');
      expect(describeCount(list(150, true), { count: 7, exact: true }, 'span')).toBe('150 spans');
    });

    it('are those of the server else', () => {
      expect(describeCount(list(200, false), { count: 2_013, exact: true }, 'trace')).toBe('2,013 traces');
      expect(describeCount(list(200, false), { count: 10_000, exact: false }, 'trace')).toBe('10,000+ traces');
    });

    it('say what is not known yet', () => {
      expect(describeCount(list(200, false), undefined, 'trace')).toBe('Counting traces');
      expect(describeCount(list(5, true, true), null, 'trace')).toBe('Counting traces');
      expect(describeCount(list(200, false), null, 'span')).toBe('200+ spans');
      expect(describeCount(list(0, false), null, 'span')).toBe('');
      expect(describeCount(list(200, false), { count: 0, exact: true }, 'trace')).toBe('200+ traces');
    });
  });
});
