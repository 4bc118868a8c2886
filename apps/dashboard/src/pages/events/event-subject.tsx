import { Link, useNavigate } from '@tanstack/react-router';
import { findById } from '../../api/find-by-id.js';
import { notify, notifyError } from '../../components/notifications/notify.js';
import { Button } from '../../components/button.js';
import { datapointAddress, DatasetLink } from '../../features/dataset-link.js';
import { ReviewItemLink } from '../../features/review-link.js';
import { runAddress } from '../../features/runs/run-link.js';
import { traceAddress, TraceLink } from '../../features/trace-link.js';
import type { LiveEvent } from '../../live/live-event.js';
import styles from './events-page.module.css';

/** What an event is about, as the link to it; what is deleted has its id. */
export function EventSubject({ event }: { event: LiveEvent }) {
  switch (event.type) {
    case 'span_created':
    case 'span_completed':
    case 'span_failed':
      return (
        <Link to={traceAddress(event.span.trace_id)} search={{ span: event.span.id } as never} dir="auto">
          {event.span.name === '' ? 'Unnamed span' : event.span.name}
        </Link>
      );
    case 'trace_created':
      return <TraceLink trace={event.trace} />;
    case 'dataset_created':
      return <DatasetLink dataset={event.dataset} />;
    case 'datapoint_created':
      return (
        <Link to={datapointAddress(event.datapoint.dataset_id, event.datapoint.id)}>
          Datapoint {event.datapoint.id}
        </Link>
      );
    case 'queue_item_updated':
      return <ItemSubject item={event.item} />;
    case 'capture_triggered':
      return <CapturedSpan spanId={event.span_id} />;
    case 'cleared':
      return <span>All traces were deleted</span>;
    case 'span_deleted':
      return <span>Span {event.span_id}</span>;
    case 'trace_deleted':
      return <span>Trace {event.trace_id}</span>;
    case 'dataset_deleted':
      return <span>Dataset {event.dataset_id}</span>;
    default:
      return <RunSubject event={event} />;
  }
}

type QueueItemEvent = Extract<LiveEvent, { type: 'queue_item_updated' }>;

function ItemSubject({ item }: { item: QueueItemEvent['item'] }) {
  return (
    <>
      <ReviewItemLink datasetId={item.dataset_id} itemId={item.id} text={`Item ${item.id}`} />{' '}
      <span className={styles.more} dir="auto">
        {item.status}
        {item.claimed_by !== null && ` by ${item.claimed_by}`}
      </span>
    </>
  );
}

type RunEvent = Extract<LiveEvent, { run_id: string }>;

function RunSubject({ event }: { event: RunEvent }) {
  return (
    <>
      <Link to={runAddress(event.run_id)}>Run {event.run_id}</Link>{' '}
      <span className={styles.more} dir="auto">
        {event.type === 'eval_progress' && `${event.progress} of ${event.total}`}
        {event.type === 'eval_failed' && event.error}
      </span>
    </>
  );
}

/** The event names the span and not its trace, which is asked for when somebody wants to see it. */
function CapturedSpan({ spanId }: { spanId: string }) {
  const navigate = useNavigate();
  const open = async (): Promise<void> => {
    try {
      const found = await findById(spanId);
      if (found?.kind === 'span')
        await navigate({ to: traceAddress(found.traceId), search: { span: found.spanId } as never });
      else notify(`The span ${spanId} has been deleted`);
    } catch (error) {
      notifyError('The span could not be looked up', error as Error);
    }
  };
  return (
    <Button variant="quiet" className={styles.lookup} onClick={() => void open()}>
      Captured span {spanId}
    </Button>
  );
}
