import { describe, expect, it } from '@jest/globals';
import type { LiveEvent } from '../../live/live-event.js';
import { datasetChanges } from './datasets-search.js';

describe('news of datasets', () => {
  it.each([
    [{ type: 'datapoint_created', datapoint: { dataset_id: 'd' } }, { hasNew: true }],
    [
      { type: 'dataset_deleted', dataset_id: 'd' },
      { deleted: ['d'], hasNew: true },
    ],
    [{ type: 'cleared' }, { isCleared: true }],
    [{ type: 'trace_deleted', trace_id: 't' }, {}],
  ])('of %j are %j', (event, news) => {
    expect(datasetChanges(event as LiveEvent)).toEqual(news);
  });
});
