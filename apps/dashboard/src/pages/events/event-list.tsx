import { useRouter } from '@tanstack/react-router';
import { useLayoutEffect, useRef, useState, type MouseEvent } from 'react';
import { Button } from '../../components/button.js';
import { useFixedRows } from '../../components/rows/use-fixed-rows.js';
import { useRowHeight } from '../../components/use-row-height.js';
import type { LoggedEvent } from './event-log.js';
import { EventRow } from './event-row.js';
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
