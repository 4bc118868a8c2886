import { formatTimestamp } from '@spandrel/contract';
import type { WireEvent } from '@spandrel/events';
import { OF_TARGETS, type QueueItemRow, QUEUE_STATUS, queueStatusName } from './queue-item.entity.js';
import { fromJsonText } from '@spandrel/storage';

/**
 * A stored queue item as the wire shows it (docs/spec/queue.md), as JSON: made without parsing and writing again what can be
 * large.
 * @param isHidden leaves out what the reviewer answered.
 */
export function queueItemJson(item: QueueItemRow, isHidden = false): string {
  const timestamp = (at: number | null): string | null => (at === null ? null : formatTimestamp(at));
  const isTarget = item.datasetId === OF_TARGETS;
  const members = {
    id: item.id,
    dataset_id: isTarget ? null : item.datasetId,
    datapoint_id: isTarget ? null : item.datapointId,
    status: queueStatusName(item.status),
    claimed_by: item.claimedBy,
    claimed_by_name: item.claimedByName,
    claimed_at: timestamp(item.claimedAt),
  };
  const others = {
    trace_id: item.traceId,
    span_id: item.spanId,
    session_id: item.sessionId,
    selected_by: item.selectedBy,
    position: item.position,
    assignees: fromJsonText(item.assignees),
    adjudicate: item.adjudicators === null ? null : 'disagree',
    adjudicators: fromJsonText(item.adjudicators ?? '[]'),
    adjudicates: item.adjudicates === 1,
    gold: isHidden || item.status !== QUEUE_STATUS.completed ? null : fromJsonText(item.gold ?? 'null'),
    group_id: item.groupId,
    review_no: item.reviewNo,
    reviews_required: item.reviewsRequired,
    form: fromJsonText(item.form),
    instructions: item.instructions,
    priority: 0 - item.rank,
    blind: item.blind === 1,
    until: item.ciWidth === null ? null : { ci_width: item.ciWidth },
    scores: isHidden ? [] : fromJsonText(item.scores),
    comment: isHidden ? null : item.comment,
    skipped: !isHidden && item.skipped === 1,
    completed_at: timestamp(item.completedAt),
  };
  const isPlain = isPlainReview(item);
  return (
    `${JSON.stringify(members).slice(0, -1)},"original_data":${item.originalData},` +
    `"edited_data":${(!isHidden && item.editedData) || 'null'},"created_at":"${formatTimestamp(item.createdAt)}"` +
    (isPlain ? '}' : `,${JSON.stringify(others).slice(1)}`)
  );
}

/** Whether an item is one of those that there were before reviews by several: nothing more was asked or answered. */
const isPlainReview = (item: QueueItemRow): boolean =>
  item.datasetId !== OF_TARGETS &&
  item.selectedBy === null &&
  item.position === 0 &&
  item.assignees === '[]' &&
  item.gold === null &&
  asksNothing(item);

const asksNothing = ({ groupId, form, instructions, rank, scores, comment, skipped }: QueueItemRow): boolean =>
  groupId === null &&
  instructions === null &&
  comment === null &&
  rank === 0 &&
  skipped === 0 &&
  form === '[]' &&
  scores === '[]';

/** Whether answers of an item are hidden from those who have not answered themselves, as long as its group is not complete. */
export const isBlind = ({ groupId, blind, status }: QueueItemRow): boolean =>
  groupId !== null && blind === 1 && status === QUEUE_STATUS.completed;

/** The event of a queue item that changed; everybody reads it, so that it has no answers of blind reviews. */
export const queueItemUpdated = (item: QueueItemRow): WireEvent => ({
  type: 'queue_item_updated',
  json: `{"type":"queue_item_updated","item":${queueItemJson(item, isBlind(item))}}`,
});
