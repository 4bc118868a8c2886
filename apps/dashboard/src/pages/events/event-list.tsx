import { useLayoutEffect, useRef, useState } from 'react';
import { Button } from '../../components/button.js';
import { NONE } from '../../components/format/format-count.js';
import { formatTime, formatTimeExactly } from '../../components/format/format-time.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { useFixedRows } from '../../components/rows/use-fixed-rows.js';
import { useRowHeight } from '../../components/use-row-height.js';
import type { LoggedEvent } from './event-log.js';
import { EventSubject } from './event-subject.js';
import styles from './events-page.module.css';

interface EventListProps {
  events: readonly LoggedEvent[];
  /** Events that fell out at the beginning: what is read keeps its place on screen. */
  droppedCount: number;
}

/** The events, newest last. The end stays in view until somebody scrolls up. */
export function EventList({ events, droppedCount }: EventListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const rowHeight = useRowHeight();
  const [isAtEnd, setIsAtEnd] = useState(true);
  const { first, last } = useFixedRows(scroller, events.length, rowHeight);
  useSteadyPlace(scroller, { events, droppedCount, rowHeight, isAtEnd });
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
        <ol className={styles.rows} style={{ height: events.length * rowHeight }}>
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

function EventRow({ logged: { number, at, event } }: { logged: LoggedEvent }) {
  const { times } = usePreferences();
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
        <EventSubject event={event} />
      </span>
    </>
  );
}

/** Characters of a date with the blank behind it; narrow windows leave it out. */
const DATE_LENGTH = '2026-11-22 '.length;

/** Types whose words are coloured, too. */
const TONES: Readonly<Record<string, string>> = {
  span_failed: 'failed',
  eval_failed: 'failed',
  span_completed: 'ok',
  eval_completed: 'ok',
};

interface Placed extends EventListProps {
  rowHeight: number;
  isAtEnd: boolean;
}

/** Keeps the end in view, or what is being read where it is. */
function useSteadyPlace(
  scroller: { readonly current: HTMLElement | null },
  { events, droppedCount, rowHeight, isAtEnd }: Placed,
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
