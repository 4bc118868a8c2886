import { datapointAddress, datasetAddress } from '../../features/dataset-link.js';
import { reviewAddress } from '../../features/review-link.js';
import { runAddress } from '../../features/runs/run-link.js';
import { nameOfTrace, traceAddress } from '../../features/trace-link.js';
import type { LiveEvent } from '../../live/live-event.js';

/** What an event is about. */
export interface EventSubject {
  text: string;
  /** Where it is shown; `null` for what is deleted. */
  address: string | null;
  /** What the event says of it. */
  more?: string;
}

/** The object of an event and the way to it. */
export function subjectOf(event: LiveEvent): EventSubject {
  switch (event.type) {
    case 'span_created':
    case 'span_completed':
    case 'span_failed': {
      const { id, name, trace_id: traceId } = event.span;
      return { text: name === '' ? 'Unnamed span' : name, address: withQuery(traceAddress(traceId), 'span', id) };
    }
    case 'trace_created':
      return { text: nameOfTrace(event.trace), address: traceAddress(event.trace.id) };
    case 'dataset_created':
      return { text: event.dataset.name, address: datasetAddress(event.dataset.id) };
    case 'datapoint_created': {
      const { id, dataset_id: datasetId } = event.datapoint;
      return { text: `Datapoint ${id}`, address: datapointAddress(datasetId, id) };
    }
    case 'queue_item_updated': {
      const { id, dataset_id: datasetId, status } = event.item;
      const reviewer = event.item.claimed_by_name ?? event.item.claimed_by;
      const more = reviewer === null ? status : `${status} by ${reviewer}`;
      return { text: `Item ${id}`, address: withQuery(reviewAddress(datasetId), 'item', id), more };
    }
    case 'capture_triggered':
      // The event names the span and not its trace: the list of spans finds it.
      return { text: `Captured span ${event.span_id}`, address: withQuery('/spans', 'ids', event.span_id) };
    case 'cleared':
      return { text: 'All traces were deleted', address: null };
    case 'span_deleted':
      return { text: `Span ${event.span_id}`, address: null };
    case 'trace_deleted':
      return { text: `Trace ${event.trace_id}`, address: null };
    case 'dataset_deleted':
      return { text: `Dataset ${event.dataset_id}`, address: null };
    default:
      return { text: `Run ${event.run_id}`, address: runAddress(event.run_id), more: describeRun(event) };
  }
}

type RunEvent = Extract<LiveEvent, { run_id: string }>;

function describeRun(event: RunEvent): string {
  if (event.type === 'eval_progress') return `${event.progress} of ${event.total}`;
  return event.type === 'eval_failed' ? event.error : '';
}

const withQuery = (address: string, name: string, value: string): string =>
  `${address}?${name}=${encodeURIComponent(value)}`;
