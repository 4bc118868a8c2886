import type { LiveEvent } from '../../live/live-event.js';

export interface LoggedEvent {
  number: number;
  at: number | null;
  event: LiveEvent;
}

/** Events that are kept; of more the oldest go. */
export const LOGGED_MAX = 2_000;

/** The events that a page shows, oldest first, and those that wait while it is paused. */
export class EventLog {
  events: readonly LoggedEvent[] = [];
  /** Events that fell out of what is shown since the log began. */
  droppedCount = 0;
  isPaused = false;
  private waiting: LoggedEvent[] = [];
  private lastNumber: number | null = null;

  /** @param beginAfter number of the last event before this log; `null` for what comes from now on. */
  constructor(public beginAfter: number | null = null) {}

  get waitingCount(): number {
    return this.waiting.length;
  }

  /** The number after which a stream goes on where this one ends; `null` for a stream that begins now. */
  get resumeAfter(): number | null {
    return this.lastNumber ?? this.beginAfter;
  }

  /** @param at when it came, for an event that does not say itself when it happened; `null` for one of long ago. */
  add(number: number, event: LiveEvent, at: number | null): void {
    // A stream that was opened again may begin with what is here.
    if (this.lastNumber !== null && number <= this.lastNumber) return;
    this.beginAfter ??= number - 1;
    this.lastNumber = number;
    this.waiting.push({ number, event, at: timeOfEvent(event) ?? at });
    if (this.waiting.length > LOGGED_MAX) {
      this.waiting.shift();
      this.droppedCount++;
    }
  }

  /** Shows what has come, unless the log is paused. */
  flush(): void {
    if (this.isPaused) return;
    const all = [...this.events, ...this.waiting];
    this.events = all.slice(-LOGGED_MAX);
    this.droppedCount += all.length - this.events.length;
    this.waiting = [];
  }

  /** Forgets what is shown and what waits; what comes afterwards is shown. */
  clear(): void {
    this.events = [];
    this.waiting = [];
    this.droppedCount = 0;
    this.beginAfter = this.resumeAfter;
  }
}

/** When an event happened, by what it carries, in milliseconds since 1970; `null` where it carries no time. */
function timeOfEvent(event: LiveEvent): number | null {
  const text = timestampOf(event);
  const at = text === null ? Number.NaN : Date.parse(text);
  return Number.isNaN(at) ? null : at;
}

function timestampOf(event: LiveEvent): string | null {
  switch (event.type) {
    case 'span_created':
      return event.span.started_at;
    case 'span_completed':
    case 'span_failed':
      return event.span.ended_at;
    case 'trace_created':
      return event.trace.started_at;
    case 'dataset_created':
      return event.dataset.created_at;
    case 'datapoint_created':
      return event.datapoint.created_at;
    case 'queue_item_updated':
      return event.item.status === 'claimed' ? event.item.claimed_at : null;
    default:
      return null;
  }
}
