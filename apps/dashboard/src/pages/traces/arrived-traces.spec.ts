import { describe, expect, it } from '@jest/globals';
import type { LiveEvent } from '../../live/live-event.js';
import { arrivedTraces } from './arrived-traces.js';

const created = (id: string): LiveEvent => ({ type: 'trace_created', trace: { id, name: id } }) as LiveEvent;
const idsOf = (...events: LiveEvent[]): string[] => arrivedTraces(events, new Set(['known'])).map(({ id }) => id);

describe('rows of traces that arrived', () => {
  it('are newest first, without those that are there', () => {
    expect(idsOf(created('a'), created('known'), created('b'))).toEqual(['b', 'a']);
  });

  it('leave out what is gone again', () => {
    expect(idsOf(created('a'), created('b'), { type: 'trace_deleted', trace_id: 'a' })).toEqual(['b']);
    expect(idsOf(created('a'), { type: 'cleared' }, created('c'))).toEqual(['c']);
  });

  it('are running and have no spans yet', () => {
    expect(arrivedTraces([created('a')], new Set())[0]).toMatchObject({ id: 'a', status: 'running', span_count: 0 });
  });
});
