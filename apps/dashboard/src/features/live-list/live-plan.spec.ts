import { describe, expect, it } from '@jest/globals';
import type { LiveEvent } from '../../live/live-event.js';
import type { LiveNews } from './live-news.js';
import { nextRequest, NOTHING, planAfter, planFor, type ShownList } from './live-plan.js';

const changed = (id: string): LiveNews => ({ changed: [id], hasNew: true });
const created: LiveNews = { hasNew: true };

/** The plan by what events say; an event stands for its place among them. */
function plan(...news: LiveNews[]) {
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
