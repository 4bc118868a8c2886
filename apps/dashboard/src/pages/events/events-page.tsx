import { EVENT_TYPES, formatCounted, formatCount, NONE } from '@spandrel/contract/browser';
import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useLayoutEffect, useRef, useState, memo, type MouseEvent } from 'react';
import { BASE } from '../../api/project-base.js';
import { Button } from '../../components/button.js';
import { SelectField } from '../../components/field.js';
import { zoneName, formatTime, formatTimeExactly } from '../../components/format.js';
import { PageHeading } from '../../components/page-parts.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { useShortcuts } from '../../components/shortcuts/use-shortcuts.js';
import { useFixedRows } from '../../components/use-fixed-rows.js';
import { useRowHeight } from '../../components/hooks.js';
import {
  datapointAddress,
  datasetAddress,
  reviewAddress,
  runAddress,
  nameOfTrace,
  traceAddress,
} from '../../features/addresses.js';
import type { LiveEvent } from '../../live/live-event.js';
import { usePageSearch } from '../../features/use-page-search.js';
import { useEventLog } from './use-event-log.js';
import type { LoggedEvent } from './event-log.js';
import styles from './events-page.module.css';

const route = getRouteApi('/events');

const TYPES = [{ value: '', label: 'All types' }, ...EVENT_TYPES.map((type) => ({ value: type, label: type }))];

/** What the address of the events can say, by the API's own names. */
export interface EventsSearch {
  types?: string | undefined;
  /** Number of the event after which the log is replayed. */
  since?: string | undefined;
}

const readEventsSearch = ({ types, since }: Record<string, unknown>): EventsSearch => ({
  ...(typeof types === 'string' && types !== '' && { types }),
  ...(typeof since === 'string' && /^\d{1,15}$/.test(since) && { since }),
});

/** `/events`: what happens, as it happens. */
export function EventsPage() {
  const search = usePageSearch(readEventsSearch);
  const navigate = route.useNavigate();
  const type = EVENT_TYPES.find((known) => known === search.types);
  const log = useEventLog(type, search.since);
  const { times } = usePreferences();
  const choose = (changes: EventsSearch): void =>
    void navigate({ search: (before: EventsSearch) => ({ ...before, ...changes }) });
  const pause = (): void => log.pause(!log.isPaused);
  useShortcuts([{ keys: 'Space', label: 'Pause', group: 'Events', run: pause }]);
  return (
    <>
      <PageHeading title="Events" />
      <div className="row fields">
        <SelectField
          label="Type"
          options={TYPES}
          value={type ?? ''}
          onChange={({ currentTarget: { value } }) => choose({ types: value === '' ? undefined : value })}
        />
        <Button shortcut="Space" aria-pressed={log.isPaused} onClick={pause}>
          Pause
        </Button>
        <Button onClick={log.clear}>Clear view</Button>
        <p className={styles.count}>
          {describeLog(log)} <span>Times in {zoneName(Date.now(), times)}</span>
        </p>
      </div>
      {log.isRefused && (
        <p role="alert" className="failed">
          The event stream is not available. Retrying every five seconds.
        </p>
      )}
      {log.isQueued && (
        <p role="status">
          Three other tabs already show events, and browsers limit connections. Events appear here when one of those
          tabs is closed or hidden.
        </p>
      )}
      {log.events.length === 0 && (
        <div className={styles.nothing}>
          <p>
            {search.since === undefined
              ? 'New spans, traces, runs, reviews and captures appear here.'
              : 'No later events, or the view was cleared. New events appear here.'}
          </p>
          {search.since === undefined && <Button onClick={() => choose({ since: '0' })}>Replay the log</Button>}
        </div>
      )}
      <EventList events={log.events} droppedCount={log.droppedCount} />
    </>
  );
}

function describeLog({ events, isPaused, waitingCount, droppedCount }: ReturnType<typeof useEventLog>): string {
  const parts = [formatCounted(events.length, 'event')];
  if (droppedCount > 0) parts.push(`${formatCount(droppedCount)} older events are no longer shown`);
  if (isPaused) parts.push(`paused, ${formatCount(waitingCount)} waiting`);
  return `${parts.join(', ')}.`;
}

interface EventListProps {
  events: readonly LoggedEvent[];
  /** Events that fell out at the beginning: what is read keeps its place on screen. */
  droppedCount: number;
}

/** The events, newest last. The end stays in view until somebody scrolls up. */
function EventList({ events, droppedCount }: EventListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const rowHeight = useRowHeight();
  const [isAtEnd, setIsAtEnd] = useState(true);
  const { first, last } = useFixedRows(scroller, events.length, rowHeight);
  useSteadyPlace(scroller, { events, droppedCount, rowHeight, isAtEnd });
  const { history } = useRouter();
  const follow = (event: MouseEvent): void => {
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    history.push(link.pathname + link.search);
  };
  const goToEnd = (): void => {
    const element = scroller.current!;
    element.scrollTop = element.scrollHeight;
    setIsAtEnd(true);
  };
  return (
    <div className={styles.frame}>
      <div
        ref={scroller}
        role="log"
        aria-label="Events"
        // Rows that come into view by scrolling are no news.
        aria-live={isAtEnd ? 'polite' : 'off'}
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- what scrolls is reached by keys
        tabIndex={0}
        className={styles.log}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) =>
          setIsAtEnd(scrollTop + clientHeight >= scrollHeight - rowHeight)
        }
      >
        {/* Hundreds of the router's own links a second keep a page busy. */}
        {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-noninteractive-element-interactions -- links of the rows, which take keys themselves */}
        <ol className={styles.rows} onClick={follow} style={{ height: events.length * rowHeight }}>
          {events.slice(first, last).map((logged, index) => (
            <li
              key={logged.number}
              aria-setsize={events.length}
              aria-posinset={first + index + 1}
              className={styles.row}
              style={{ height: rowHeight, transform: `translateY(${(first + index) * rowHeight}px)` }}
            >
              <EventRow logged={logged} />
            </li>
          ))}
        </ol>
      </div>
      {!isAtEnd && (
        <Button icon="arrowDown" className={styles.toEnd} onClick={goToEnd}>
          Go to the newest
        </Button>
      )}
    </div>
  );
}

/** Keeps the end in view, or what is being read where it is. */
function useSteadyPlace(
  scroller: { readonly current: HTMLElement | null },
  { events, droppedCount, rowHeight, isAtEnd }: EventListProps & { rowHeight: number; isAtEnd: boolean },
): void {
  const before = useRef(0);
  useLayoutEffect(() => {
    const element = scroller.current!;
    const gone = Math.max(0, droppedCount - before.current);
    before.current = droppedCount;
    if (isAtEnd) element.scrollTop = element.scrollHeight;
    else if (gone > 0) element.scrollTop -= gone * rowHeight;
    // What scrolls is followed by events alone, and not by the scrolling itself.
    // oxlint-disable-next-line react/exhaustive-deps
  }, [events, droppedCount, rowHeight, scroller]);
}

const TONES: Readonly<Record<string, string>> = {
  span_failed: 'failed',
  eval_failed: 'failed',
  span_completed: 'ok',
  eval_completed: 'ok',
};

/** Characters of a date with the blank behind it; narrow windows leave it out. */
const DATE_LENGTH = '2026-11-22 '.length;

const EventRow = memo(function EventRow({ logged: { number, at, event } }: { logged: LoggedEvent }) {
  const { times } = usePreferences();
  const { text, address, more = '' } = subjectOf(event);
  return (
    <>
      {at === null ? (
        <span className={styles.time}>{NONE}</span>
      ) : (
        <time dateTime={new Date(at).toISOString()} title={formatTimeExactly(at, times)} className={styles.time}>
          <span className={styles.date}>{formatTime(at, times).slice(0, DATE_LENGTH)}</span>
          {formatTime(at, times).slice(DATE_LENGTH)}
        </time>
      )}
      <span className={styles.number}>
        <span className="visually-hidden">Event </span>
        {number}
      </span>
      <code className={styles.type} data-tone={TONES[event.type]}>
        {event.type}
      </code>
      <span className={styles.subject}>
        {address === null ? (
          <span>{text}</span>
        ) : (
          <bdi>
            <a href={BASE + address}>{text}</a>
          </bdi>
        )}
        {more !== '' && <bdi className={styles.more}>{more}</bdi>}
      </span>
    </>
  );
});

interface EventSubject {
  text: string;
  /** Where it is shown; `null` for what is deleted. */
  address: string | null;
  more?: string;
}

function subjectOf(event: LiveEvent): EventSubject {
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
      const address = datasetId === null ? '/review' : withQuery(reviewAddress(datasetId), 'item', id);
      return { text: `Item ${id}`, address, more };
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
