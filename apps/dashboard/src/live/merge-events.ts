import type { LiveBatch, LiveEvent } from './live-event.js';

/** Events a second beyond which they are counted and not handed on: a page could not show them anyway. */
const RATE_MAX = 500;
const SECOND_MS = 1_000;

/** Gathers events between two batches. */
export class EventMerger {
  private events = new Map<string, LiveEvent>();
  private counted = 0;
  private hasMissed = false;
  private second = { from: 0, count: 0 };

  /** @param at milliseconds, by a clock that goes forward. */
  add(event: LiveEvent, at: number): void {
    this.counted++;
    if (this.isTooMany(at)) {
      this.miss();
      return;
    }
    if (this.hasMissed) return;
    const key = keyOf(event, this.counted);
    // The later event of a span takes the place at the end.
    this.events.delete(key);
    this.events.set(key, event);
  }

  /** Notes that events happened that were never seen. */
  miss(): void {
    this.events.clear();
    this.hasMissed = true;
  }

  /** What came since the last call; `null` when nothing did. */
  take(): LiveBatch | null {
    if (this.events.size === 0 && !this.hasMissed) return null;
    const batch = { events: [...this.events.values()], hasMissed: this.hasMissed };
    this.events = new Map();
    this.hasMissed = false;
    this.counted = 0;
    return batch;
  }

  private isTooMany(at: number): boolean {
    if (at - this.second.from >= SECOND_MS) this.second = { from: at, count: 0 };
    return ++this.second.count > RATE_MAX;
  }
}

function keyOf(event: LiveEvent, position: number): string {
  return 'span' in event ? `span ${event.span.id}` : String(position);
}
