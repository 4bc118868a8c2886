import { describe, expect, it } from '@jest/globals';
import type { LiveEvent } from '../../live/live-event.js';
import { traceChanges, newTraces } from './trace-changes.js';

describe('what an event says of the list of traces', () => {
  it('is which trace changed', () => {
    const event = { type: 'span_completed', span: { id: 's', trace_id: 't' } } as LiveEvent;
    expect(traceChanges(event)).toEqual({ changed: ['t'], hasNew: true });
    expect(traceChanges({ type: 'trace_created', trace: { id: 'n' } } as LiveEvent)).toEqual({ hasNew: true });
    expect(traceChanges({ type: 'span_deleted', span_id: 's' })).toEqual({ hasMissed: true });
  });

  it('is what is gone', () => {
    expect(traceChanges({ type: 'trace_deleted', trace_id: 't' })).toEqual({ deleted: ['t'] });
    expect(traceChanges({ type: 'cleared' })).toEqual({ isCleared: true });
  });

  it('is nothing where it is about something else', () => {
    expect(traceChanges({ type: 'dataset_deleted', dataset_id: 'd' })).toEqual({});
  });
});

const created = (id: string): LiveEvent => ({ type: 'trace_created', trace: { id, name: id } }) as LiveEvent;
const idsOf = (...events: LiveEvent[]): string[] => newTraces(events, new Set(['known'])).map(({ id }) => id);

describe('rows of traces that arrived', () => {
  it('are newest first, without those that are there', () => {
    expect(idsOf(created('a'), created('known'), created('b'))).toEqual(['b', 'a']);
  });

  it('leave out what is gone again', () => {
    expect(idsOf(created('a'), created('b'), { type: 'trace_deleted', trace_id: 'a' })).toEqual(['b']);
    expect(idsOf(created('a'), { type: 'cleared' }, created('c'))).toEqual(['c']);
  });

  it('are running and have no spans yet', () => {
    expect(newTraces([created('a')], new Set())[0]).toMatchObject({ id: 'a', status: 'running', span_count: 0 });
  });
});
