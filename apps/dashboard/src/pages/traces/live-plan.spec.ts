import { describe, expect, it } from '@jest/globals';
import type { LiveEvent } from '../../live/live-event.js';
import { nextRequest, NOTHING, planAfter, planFor } from './live-plan.js';

const span = (trace: string, type = 'span_completed'): LiveEvent =>
  ({ type, span: { id: `s-${trace}`, trace_id: trace } }) as LiveEvent;
const created = { type: 'trace_created', trace: { id: 'n' } } as LiveEvent;
const plan = (...events: LiveEvent[]) => planFor(NOTHING, { events, hasMissed: false });
const FIRST = new Set(['a', 'b']);

describe('what live updates ask for', () => {
  it('is nothing where nothing happened', () => {
    expect(nextRequest(NOTHING, ['a'], FIRST, 'rows')).toBeNull();
    expect(nextRequest(plan({ type: 'dataset_deleted', dataset_id: 'd' }), ['a'], FIRST, 'rows')).toBeNull();
  });

  it('is the first page when a trace came or one of it changed', () => {
    for (const event of [created, span('a'), span('unknown')]) {
      expect(nextRequest(plan(event), ['a'], FIRST, 'rows')).toEqual({ kind: 'first-page' });
    }
  });

  it('is the rows on screen beyond the first page, taking turns with it', () => {
    const busy = plan(span('x'), span('y'), span('far'), created);
    expect(nextRequest(busy, ['x', 'y', 'z'], FIRST, 'first-page')).toEqual({ kind: 'rows', ids: ['x', 'y'] });
    const rest = planAfter(busy, { kind: 'rows', ids: ['x', 'y'] }, ['x', 'y', 'z'], FIRST);
    expect(nextRequest(rest, ['x', 'y', 'z'], FIRST, 'rows')).toEqual({ kind: 'first-page' });
    expect(planAfter(rest, { kind: 'first-page' }, ['x', 'y', 'z'], FIRST)).toEqual(NOTHING);
  });

  it('keeps rows for their turn after the first page', () => {
    const busy = plan(span('x'), span('a'));
    const rest = planAfter(busy, { kind: 'first-page' }, ['x', 'z'], FIRST);
    expect(nextRequest(rest, ['x', 'z'], FIRST, 'first-page')).toEqual({ kind: 'rows', ids: ['x'] });
  });

  it('is everything on screen where something was missed', () => {
    const missed = planFor(NOTHING, { events: [], hasMissed: true });
    expect(nextRequest(missed, ['x', 'a'], FIRST, 'first-page')).toEqual({ kind: 'rows', ids: ['x'] });
    expect(planAfter(missed, { kind: 'first-page' }, ['x', 'a'], FIRST).changed).toEqual(new Set(['x']));
  });

  it('knows what is gone', () => {
    const gone = plan({ type: 'trace_deleted', trace_id: 'a' }, { type: 'cleared' });
    expect([...gone.deleted, gone.isCleared]).toEqual(['a', true]);
  });
});
