import { useNavigate } from '@tanstack/react-router';
import { memo } from 'react';
import { findById } from '../../api/find-by-id.js';
import { Button } from '../../components/button.js';
import { NONE } from '../../components/format/format-count.js';
import { formatTime, formatTimeExactly } from '../../components/format/format-time.js';
import { notify, notifyError } from '../../components/notifications/notify.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
import { traceAddress } from '../../features/trace-link.js';
import type { LoggedEvent } from './event-log.js';
import { subjectOf } from './event-subject.js';
import styles from './events-page.module.css';

/** Types whose words are coloured, too. */
const TONES: Readonly<Record<string, string>> = {
  span_failed: 'failed',
  eval_failed: 'failed',
  span_completed: 'ok',
  eval_completed: 'ok',
};

/** Characters of a date with the blank behind it; narrow windows leave it out. */
const DATE_LENGTH = '2026-11-22 '.length;

/** What one event says: when, its number, its type, and what it is about. */
export const EventRow = memo(function EventRow({ logged: { number, at, event } }: { logged: LoggedEvent }) {
  const { times } = usePreferences();
  const { text, address, more = '', soughtSpan } = subjectOf(event);
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
        {soughtSpan !== undefined && <SoughtSpan id={soughtSpan} text={text} />}
        {soughtSpan === undefined &&
          (address === null ? (
            <span>{text}</span>
          ) : (
            <bdi>
              <a href={address}>{text}</a>
            </bdi>
          ))}
        {more !== '' && <bdi className={styles.more}>{more}</bdi>}
      </span>
    </>
  );
});

/** The event names the span and not its trace, which is asked for when somebody wants to see it. */
function SoughtSpan({ id, text }: { id: string; text: string }) {
  const navigate = useNavigate();
  const open = async (): Promise<void> => {
    try {
      const found = await findById(id);
      if (found?.kind === 'span')
        await navigate({ to: traceAddress(found.traceId), search: { span: found.spanId } as never });
      else notify(`The span ${id} has been deleted`);
    } catch (error) {
      notifyError('The span could not be looked up', error as Error);
    }
  };
  return (
    <Button variant="quiet" className={styles.lookup} onClick={() => void open()}>
      {text}
    </Button>
  );
}
