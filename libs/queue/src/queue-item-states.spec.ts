import { describe, expect, it } from '@jest/globals';
import { NO_ANSWERS } from './check-review.js';
import { claimed, released, submitted } from './queue-item-states.js';
import { type QueueItemRow, QUEUE_STATUS } from './queue-item.entity.js';

const pending: QueueItemRow = {
  projectId: 'p',
  id: 'i',
  datasetId: 'd',
  datapointId: 'dp',
  ...{ traceId: null, spanId: null, sessionId: null, selectedBy: null },
  ...{ position: 0, assignees: '[]', adjudicators: null, adjudicates: 0, gold: null, ciWidth: null },
  status: QUEUE_STATUS.pending,
  claimedBy: null,
  claimedByName: null,
  claimedAt: null,
  originalData: '{}',
  editedData: null,
  createdAt: 1,
  ...{ groupId: null, reviewNo: 1, reviewsRequired: 1, form: '[]', instructions: null, rank: 0, blind: 1 },
  ...NO_ANSWERS,
  completedAt: null,
};
const review = (editedData: string | null) => ({ ...NO_ANSWERS, editedData });
const ADA = { id: 'ada', name: 'Ada Lovelace' };
const BOB = { id: 'bob', name: null };
const byAda = claimed(pending, ADA, 5);
const done = submitted(byAda, review('{"a":1}'), 7);

describe('a queue item', () => {
  it('is claimed, given back, claimed again and completed', () => {
    expect(byAda).toEqual({
      ...pending,
      status: QUEUE_STATUS.claimed,
      claimedBy: 'ada',
      claimedByName: 'Ada Lovelace',
      claimedAt: 5,
    });
    expect(released(byAda)).toEqual(pending);
    expect(done).toEqual({ ...byAda, status: QUEUE_STATUS.completed, editedData: '{"a":1}', completedAt: 7 });
    expect(submitted(byAda, review(null), 7).editedData).toBeNull();
  });

  it('stays the same object when its reviewer claims it again', () => {
    expect(claimed(byAda, ADA, 9)).toBe(byAda);
  });

  it.each([
    ['claimed by another', () => claimed(byAda, BOB, 9), 'queue_item_already_claimed'],
    ['claimed when completed', () => claimed(done, ADA, 9), 'queue_item_completed'],
    ['released when pending', () => released(pending), 'queue_item_not_claimed'],
    ['released when completed', () => released(done), 'queue_item_completed'],
    ['submitted when pending', () => submitted(pending, review(null), 7), 'queue_item_not_claimed'],
    ['submitted when completed', () => submitted(done, review(null), 7), 'queue_item_completed'],
  ])('cannot be %s', (_what, move, code) => {
    expect(move).toThrow(expect.objectContaining({ code }));
  });
});
