import { memo } from 'react';
import { NONE } from '@spandrel/contract/browser';
import { formatTime, formatTimeExactly } from '../../components/format/format-time.js';
import { usePreferences } from '../../components/preferences/use-preferences.js';
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
            <a href={address}>{text}</a>
          </bdi>
        )}
        {more !== '' && <bdi className={styles.more}>{more}</bdi>}
      </span>
    </>
  );
});
