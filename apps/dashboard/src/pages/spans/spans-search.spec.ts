import { describe, expect, it } from '@jest/globals';
import type { LiveEvent } from '../../live/live-event.js';
import { spanChanges } from './spans-search.js';

describe('what an event says of the list of spans', () => {
  it('is which span changed, and that there may be more', () => {
    const event = { type: 'span_completed', span: { id: 's', trace_id: 't' } } as LiveEvent;
    expect(spanChanges(event)).toEqual({ changed: ['s'], hasNew: true });
  });

  it('is what is gone, with all spans of a trace', () => {
    expect(spanChanges({ type: 'span_deleted', span_id: 's' })).toEqual({ deleted: ['s'] });
    expect(spanChanges({ type: 'trace_deleted', trace_id: 't' })).toEqual({ deleted: ['t'] });
    expect(spanChanges({ type: 'cleared' })).toEqual({ isCleared: true });
  });

  it('is nothing where it is about something else', () => {
    expect(spanChanges({ type: 'trace_created', trace: { id: 'n' } } as LiveEvent)).toEqual({});
  });
});
