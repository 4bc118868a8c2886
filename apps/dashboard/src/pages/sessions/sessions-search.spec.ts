import { describe, expect, it } from '@jest/globals';
import type { LiveEvent } from '../../live/live-event.js';
import { sessionNews } from './sessions-search.js';

const created = (session: string | null): LiveEvent =>
  ({ type: 'trace_created', trace: { id: 't', session_id: session } }) as LiveEvent;

describe('what an event says of the list of sessions', () => {
  it('is that it may be another', () => {
    const span = { type: 'span_completed', span: { id: 's', trace_id: 't' } } as LiveEvent;
    for (const event of [span, created(''), { type: 'trace_deleted', trace_id: 't' } as LiveEvent]) {
      expect(sessionNews(event)).toEqual({ hasNew: true });
    }
    expect(sessionNews({ type: 'cleared' })).toEqual({ isCleared: true });
  });

  it('is nothing where no session is concerned', () => {
    expect(sessionNews(created(null))).toEqual({});
    expect(sessionNews({ type: 'dataset_deleted', dataset_id: 'd' })).toEqual({});
  });
});
