import type { LiveEvent } from '../../live/live-event.js';

/** An event of the log. */
export interface LoggedEvent {
  number: number;
  /** Milliseconds since 1970; `null` where nothing says when it happened. */
  at: number | null;
  event: LiveEvent;
}

/** Events that are kept; of more the oldest go. */
export const LOGGED_MAX = 2_000;

/** The events that a page shows, oldest first, and those that wait while it is paused. */
export class EventLog {
  private shown: readonly LoggedEvent[] = [];
  private waiting: LoggedEvent[] = [];
  /** Events that fell out of what is shown since the log began. */
  private dropped = 0;
  private lastNumber: number | null = null;
  private from: number | null;
  private isPaused = false;

  /** @param from number of the event before the first one that is shown; `null` for what comes from now on. */
  constructor(from: number | null = null) {
    this.from = from;
  }

  get events(): readonly LoggedEvent[] {
    return this.shown;
  }

  get waitingCount(): number {
    return this.waiting.length;
  }

  get droppedCount(): number {
    return this.dropped;
  }

  /** The number after which a stream goes on where this one ends; `null` for a stream that begins now. */
  get resumeAfter(): number | null {
    return this.lastNumber ?? this.from;
  }

  /** The number after which a stream has everything that this log began with. */
  get beginAfter(): number | null {
    return this.from;
  }

  /** @param at when it came, for an event that does not say itself when it happened; `null` for one of long ago. */
  add(number: number, event: LiveEvent, at: number | null): void {
    // A stream that was opened again may begin with what is here.
    if (this.lastNumber !== null && number <= this.lastNumber) return;
    this.from ??= number - 1;
    this.lastNumber = number;
    const before = this.waiting.at(-1) ?? this.shown.at(-1);
    this.waiting.push({ number, event, at: timeOfEvent(event) ?? at ?? before?.at ?? null });
    if (this.waiting.length > LOGGED_MAX) {
      this.waiting.shift();
      this.dropped++;
    }
  }

  /** Shows what has come, unless the log is paused. @returns whether that changed anything. */
  flush(): boolean {
    if (this.isPaused || this.waiting.length === 0) return false;
    const all = [...this.shown, ...this.waiting];
    this.shown = all.slice(-LOGGED_MAX);
    this.dropped += all.length - this.shown.length;
    this.waiting = [];
    return true;
  }

  pause(isPaused: boolean): void {
    this.isPaused = isPaused;
  }

  /** Forgets what is shown and what waits; what comes afterwards is shown. */
  clear(): void {
    this.shown = [];
    this.waiting = [];
    this.dropped = 0;
    this.from = this.lastNumber ?? this.from;
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
