import type { DatapointResource, DatasetResource } from './datasets.js';
import type { QueueItemResource } from './queue.js';
import type { SpanResource } from './spans.js';
import type { TraceResource } from './traces.js';

/** Everything the event stream tells (service-spec "Events"). */
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

/** An event with its payload: the JSON of a `data:` line. */
export type EventPayload =
  | { type: 'span_created' | 'span_completed' | 'span_failed'; span: SpanResource }
  | { type: 'span_deleted'; span_id: string }
  | { type: 'trace_created'; trace: TraceResource }
  | { type: 'trace_deleted'; trace_id: string }
  | { type: 'dataset_created'; dataset: DatasetResource }
  | { type: 'dataset_deleted'; dataset_id: string }
  | { type: 'datapoint_created'; datapoint: DatapointResource }
  | { type: 'queue_item_updated'; item: QueueItemResource }
  | { type: 'cleared' }
  | { type: 'eval_started'; run_id: string; dataset_id: string }
  | { type: 'eval_progress'; run_id: string; progress: number; total: number }
  | { type: 'eval_completed'; run_id: string }
  | { type: 'eval_failed'; run_id: string; error: string }
  | { type: 'eval_cancelled'; run_id: string }
  | { type: 'capture_triggered'; rule_id: string; span_id: string; datapoint_id: string };
