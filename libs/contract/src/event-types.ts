/** Every type of event on the stream (docs/spec/events.md#event-types). */
export const EVENT_TYPES = [
  'span_created',
  'span_completed',
  'span_failed',
  'span_deleted',
  'trace_created',
  'trace_deleted',
  'dataset_created',
  'dataset_deleted',
  'datapoint_created',
  'queue_item_updated',
  'cleared',
  'eval_started',
  'eval_progress',
  'eval_completed',
  'eval_failed',
  'eval_cancelled',
  'capture_triggered',
] as const;
export type EventType = (typeof EVENT_TYPES)[number];
