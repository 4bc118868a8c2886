import { describe, expect, it } from '@jest/globals';
import type { LiveEvent } from '../../live/live-event.js';
import { sessionChanges } from './sessions-search.js';

const created = (session: string | null): LiveEvent =>
  ({ type: 'trace_created', trace: { id: 't', session_id: session } }) as LiveEvent;

describe('what an event says of the list of sessions', () => {
  it('is that it may be another', () => {
    const span = { type: 'span_completed', span: { id: 's', trace_id: 't' } } as LiveEvent;
    for (const event of [span, created(''), { type: 'trace_deleted', trace_id: 't' } as LiveEvent]) {
      expect(sessionChanges(event)).toEqual({ hasNew: true });
    }
    expect(sessionChanges({ type: 'cleared' })).toEqual({ isCleared: true });
  });

  it('is nothing where no session is concerned', () => {
    expect(sessionChanges(created(null))).toEqual({});
    expect(sessionChanges({ type: 'dataset_deleted', dataset_id: 'd' })).toEqual({});
  });
});
