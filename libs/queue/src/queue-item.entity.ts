import { defineEntity, p } from '@mikro-orm/core';
import { entityOf, type RowOf, tableOf } from '@spandrel/storage';
import { QUEUE_STATUSES, type QueueStatus } from '@spandrel/contract';

/** A datapoint, a trace, a span or a session on its way through a review. */
export const QueueItemSchema = defineEntity({
  name: 'QueueItem',
  tableName: 'queue_item',
  properties: {
    projectId: p.text().primary(),
    id: p.text().primary(),
    /** {@link OF_TARGETS} where it is no datapoint. */
    datasetId: p.text(),
    /** What is reviewed, within the queue: the datapoint's id, or {@link unitOfTarget}. */
    datapointId: p.text(),
    /** The trace, also of a span; `null` for a session and for a datapoint. */
    traceId: p.text().nullable(),
    spanId: p.text().nullable(),
    sessionId: p.text().nullable(),
    /** Why it was chosen; `null`: it is not known. */
    selectedBy: p.text().nullable(),
    /** The lower comes first among items of one rank. */
    position: p.integer().default(0),
    /** JSON array of who may review it; anybody when empty. */
    assignees: p.text().default('[]'),
    /** JSON array of who may decide where the answers of the group differ; `null`: nobody is to. */
    adjudicators: p.text().nullable(),
    /** 1: its answer is that of its group. */
    adjudicates: p.smallint().default(0),
    /** The answers that are known, as in `answers`; nobody is to know before theirs. */
    gold: p.text().nullable(),
    /** {@link QUEUE_STATUS}. */
    status: p.smallint(),
    claimedBy: p.text().nullable(),
    /** What the reviewer was called when they claimed it. */
    claimedByName: p.text().nullable(),
    claimedAt: p.bigint('number').nullable(),
    /** JSON: the datapoint's kind when it was enqueued; `null` of anything else. */
    originalData: p.text(),
    /** JSON. */
    editedData: p.text().nullable(),
    createdAt: p.bigint('number'),
    /** What the reviews of one datapoint have in common; `null` for a single one. */
    groupId: p.text().nullable(),
    reviewNo: p.smallint().default(1),
    reviewsRequired: p.smallint().default(1),
    /** JSON array of names of score definitions. */
    form: p.text().default('[]'),
    instructions: p.text().nullable(),
    /** The priority, negated: an index gives the highest first. */
    rank: p.integer().default(0),
    blind: p.smallint().default(1),
    /** The queue closes when the intervals of all scores of the form are no wider; `null`: it does not. */
    ciWidth: p.double().$type<number>().nullable(),
    /** JSON array of the reviewer's answers. */
    scores: p.text().default('[]'),
    /** `scores` without their comments, in the order of their names: equal where reviewers agree. */
    answers: p.text().default('[]'),
    comment: p.text().nullable(),
    skipped: p.smallint().default(0),
    completedAt: p.bigint('number').nullable(),
  },
  indexes: [
    { name: 'queue_item_dataset', properties: ['projectId', 'datasetId', 'id'] },
    { name: 'queue_item_dataset_status', properties: ['projectId', 'datasetId', 'status', 'id'] },
    { name: 'queue_item_next', properties: ['projectId', 'datasetId', 'status', 'rank', 'position', 'id'] },
    { name: 'queue_item_group', properties: ['projectId', 'groupId', 'id'], where: 'group_id is not null' },
    { name: 'queue_item_status', properties: ['projectId', 'status', 'id'] },
    { name: 'queue_item_reviewer', properties: ['projectId', 'claimedBy', 'id'], where: 'claimed_by is not null' },
    { name: 'queue_item_datapoint', properties: ['projectId', 'datasetId', 'datapointId', 'status'] },
    { name: 'queue_item_trace', properties: ['projectId', 'traceId', 'id'], where: 'trace_id is not null' },
    { name: 'queue_item_session', properties: ['projectId', 'sessionId', 'id'], where: 'session_id is not null' },
    { name: 'queue_item_claimed', properties: ['claimedAt'], where: 'status = 1' },
  ],
});

export type QueueItemRow = RowOf<typeof QueueItemSchema>;
export const QueueItem = entityOf(QueueItemSchema);

/** Stands where the id of a dataset does, for the queue of traces, spans and sessions. */
export const OF_TARGETS = '';

/** What an item that is of no datapoint is about. */
export type QueueTarget = Pick<QueueItemRow, 'traceId' | 'spanId' | 'sessionId'>;

/** The name of a target within the queue: two items of one target have the same. */
export function unitOfTarget({ traceId, spanId, sessionId }: QueueTarget): string {
  if (sessionId !== null) return `session:${sessionId}`;
  return spanId === null ? `trace:${traceId}` : `span:${spanId}`;
}

/** A target as a score names it. */
export const scoreTarget = ({ traceId, spanId, sessionId }: QueueTarget) => ({
  ...(spanId === null ? { trace_id: traceId } : { span_id: spanId }),
  session_id: sessionId,
});

/** Statuses of queue items as the table holds them. */
export const QUEUE_STATUS = { pending: 0, claimed: 1, completed: 2 } as const satisfies Record<QueueStatus, number>;

export const queueStatusName = (status: number): QueueStatus => QUEUE_STATUSES[status] ?? 'pending';

export const queueItemTable = tableOf(QueueItemSchema, ['projectId', 'id']);

/** Who has an item of a group, so that nobody gets two of them. */
export const QueueReviewerSchema = defineEntity({
  name: 'QueueReviewer',
  tableName: 'queue_reviewer',
  properties: {
    projectId: p.text().primary(),
    groupId: p.text().primary(),
    reviewer: p.text().primary(),
    itemId: p.text(),
  },
  indexes: [{ name: 'queue_reviewer_item', properties: ['projectId', 'itemId'] }],
});
