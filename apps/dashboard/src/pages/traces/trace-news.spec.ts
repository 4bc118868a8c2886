import { describe, expect, it } from '@jest/globals';
import type { LiveEvent } from '../../live/live-event.js';
import { traceNews } from './trace-news.js';

describe('what an event says of the list of traces', () => {
  it('is which trace changed', () => {
    const event = { type: 'span_completed', span: { id: 's', trace_id: 't' } } as LiveEvent;
    expect(traceNews(event)).toEqual({ changed: ['t'], hasNew: true });
    expect(traceNews({ type: 'trace_created', trace: { id: 'n' } } as LiveEvent)).toEqual({ hasNew: true });
    expect(traceNews({ type: 'span_deleted', span_id: 's' })).toEqual({ hasMissed: true });
  });

  it('is what is gone', () => {
    expect(traceNews({ type: 'trace_deleted', trace_id: 't' })).toEqual({ deleted: ['t'] });
    expect(traceNews({ type: 'cleared' })).toEqual({ isCleared: true });
  });

  it('is nothing where it is about something else', () => {
    expect(traceNews({ type: 'dataset_deleted', dataset_id: 'd' })).toEqual({});
  });
});
