import type { TraceListItem } from '@spandrel/contract';
import { useId } from 'react';
import { TURN_PREVIEW } from '../../api/sessions.js';
import { StatusBadge } from '../../components/badge.js';
import { formatDuration } from '../../components/format/format-duration.js';
import { Time } from '../../components/time.js';
import { nameOfTrace, traceAddress, TraceLink } from '../../features/trace-link.js';
import { Link } from '@tanstack/react-router';
import { turnFacts } from './session-facts.js';
import styles from './session-page.module.css';

export interface TurnProps {
  turn: TraceListItem;
  /** From 1. */
  position: number;
  /** Turns there are; -1 where that is not known. */
  count: number;
  isDeleted: boolean;
  /** The turn has the focus, or something in it. */
  onFocus(id: string): void;
}

/** A turn of a conversation: what was asked last in its trace, and what was answered. */
export function Turn({ turn, position, count, isDeleted, onFocus }: TurnProps) {
  const id = useId();
  const { status, started_at: at, duration_ms: duration, input_preview: asked, output_preview: answer } = turn;
  const facts = [...(duration === null ? [] : [formatDuration(duration)]), ...turnFacts(turn)];
  return (
    <article
      aria-labelledby={id}
      aria-posinset={position}
      aria-setsize={count}
      tabIndex={0}
      data-turn={turn.id}
      onFocus={() => onFocus(turn.id)}
      className={styles.turn}
      data-state={isDeleted ? 'deleted' : undefined}
    >
      <h2 id={id} className={styles.name}>
        <TraceLink trace={turn} />
      </h2>
      <p className={styles.facts}>
        <StatusBadge status={status} />
        <span>
          <Time at={at} />
        </span>
        {facts.map((fact) => (
          <span key={fact}>{fact}</span>
        ))}
        {isDeleted && <strong>Deleted</strong>}
      </p>
      {asked == null && answer == null ? (
        <p className={styles.nothing}>
          {status === 'running' ? 'No call of a model has been recorded yet.' : 'It made no call of a model.'}
        </p>
      ) : (
        <>
          <Said who="User" text={asked ?? null} trace={turn} />
          <Said who="Assistant" text={answer ?? null} trace={turn} />
        </>
      )}
    </article>
  );
}

interface SaidProps {
  who: 'User' | 'Assistant';
  text: string | null;
  trace: TraceListItem;
}

/** What one side said, as it was written; a long text ends with the way to the rest. */
function Said({ who, text, trace }: SaidProps) {
  if (text === null) return null;
  const isCut = [...text].length >= TURN_PREVIEW;
  return (
    <div className={styles.said} data-who={who}>
      <h3>{who}</h3>
      <p className={styles.text} dir="auto">
        {text}
        {isCut && '…'}
      </p>
      {isCut && (
        <p>
          <Link to={traceAddress(trace.id)}>
            Read all of it<span className="visually-hidden"> in {nameOfTrace(trace)}</span>
          </Link>
        </p>
      )}
    </div>
  );
}
