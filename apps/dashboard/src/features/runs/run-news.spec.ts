import { describe, expect, it } from '@jest/globals';
import type { LiveEvent } from '../../live/live-event.js';
import { isOfRun, runNews } from './run-news.js';

const progress: LiveEvent = {
  ...{ type: 'eval_progress', run_id: 'r', progress: 1, total: 2, sample_progress: 1, sample_total: 2 },
};

describe('what an event says of runs', () => {
  it('is which one changed, and whether it may be new', () => {
    expect(runNews(progress)).toEqual({ changed: ['r'] });
    expect(runNews({ type: 'eval_started', run_id: 'r', dataset_id: 'd' })).toEqual({ changed: ['r'], hasNew: true });
    expect(runNews({ type: 'dataset_deleted', dataset_id: 'd' })).toEqual({ deleted: ['d'], hasNew: true });
    expect(runNews({ type: 'trace_deleted', trace_id: 't' } as LiveEvent)).toEqual({});
  });

  it('is about the run that it names', () => {
    expect([isOfRun(progress, 'r'), isOfRun(progress, 's'), isOfRun({ type: 'cleared' }, 'r')]).toEqual([
      ...[true, false, false],
    ]);
  });
});
