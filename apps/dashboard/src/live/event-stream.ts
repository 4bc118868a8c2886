import { BASE } from '../api/project-base.js';
import { MISSED, type LiveEvent, type LiveMessage, type LiveState, type LiveBatch } from './live-event.js';

/** The part of `EventSource` that is used. */
export interface Source {
  onopen: ((event: Event) => void) | null;
  onerror: ((event: Event) => void) | null;
  onmessage: ((event: MessageEvent<string>) => void) | null;
  readonly readyState: number;
  close(): void;
}

/** What a stream is made with; tests have their own. */
export interface StreamParts {
  open(address: string): Source;
  /** Milliseconds of a clock that goes forward. */
  now(): number;
  /** Runs later; @returns keeps it from running. */
  later(ms: number, run: () => void): () => void;
}

/** Events that come within this time are handed on together. */
const MERGED_MS = 250;
/** After a pause the first event waits no longer than this for what belongs to it. */
const FIRST_MS = 30;
/** Without a connection for as long the page says that it is offline. */
const OFFLINE_AFTER_MS = 10_000;
/** A stream that was refused is asked for again. */
const AGAIN_MS = 5_000;
/** `EventSource.CLOSED`, which tests have no such class for. */
const CLOSED = 2;

/** The one connection to `GET /api/events` of a browser: opens it, keeps it open, merges what comes. */
export class EventStream {
  private state: LiveState = 'reconnecting';
  private source: Source | null = null;
  private readonly merger = new EventMerger();
  private lastNumber: string | null = null;
  private isFlushing = false;
  private flushedAt = -Infinity;
  private cancelOffline: (() => void) | null = null;
  private cancelAgain: (() => void) | null = null;

  constructor(
    private readonly parts: StreamParts,
    private readonly onMessage: (message: LiveMessage) => void,
  ) {}

  /** The state of now, for who comes later. */
  get currentState(): LiveState {
    return this.state;
  }

  /** Opens the stream, where it is not open yet. */
  open(): void {
    if (this.source !== null) return;
    this.cancelAgain?.();
    const since = this.lastNumber === null ? '' : `&since=${this.lastNumber}`;
    const source = this.parts.open(`/api/events?view=outline${since}`);
    this.source = source;
    source.onopen = () => this.become('live');
    source.onmessage = ({ data, lastEventId }) => this.take(data, lastEventId);
    source.onerror = () => this.fail(source);
    this.waitForOffline();
  }

  close(): void {
    this.cancelAgain?.();
    this.cancelOffline?.();
    this.cancelOffline = null;
    this.source?.close();
    this.source = null;
    this.state = 'reconnecting';
  }

  private take(data: string, lastEventId: string): void {
    if (lastEventId !== '') this.lastNumber = lastEventId;
    try {
      this.merger.add(JSON.parse(data) as LiveEvent, this.parts.now());
    } catch {
      // An event that cannot be read has happened all the same.
      this.merger.miss();
    }
    if (this.isFlushing) return;
    this.isFlushing = true;
    const sinceLast = this.parts.now() - this.flushedAt;
    this.parts.later(Math.max(FIRST_MS, MERGED_MS - sinceLast), () => this.flush());
  }

  private flush(): void {
    this.isFlushing = false;
    this.flushedAt = this.parts.now();
    const batch = this.merger.take();
    if (batch !== null) this.onMessage({ kind: 'batch', batch });
  }

  /** Browsers connect again by themselves, unless the answer was a refusal. */
  private fail(source: Source): void {
    if (this.state === 'live') this.become('reconnecting');
    this.waitForOffline();
    if (source.readyState !== CLOSED || this.source !== source) return;
    this.source = null;
    this.cancelAgain = this.parts.later(AGAIN_MS, () => this.open());
    this.onMessage({ kind: 'refused' });
  }

  private waitForOffline(): void {
    this.cancelOffline ??= this.parts.later(OFFLINE_AFTER_MS, () => this.become('offline'));
  }

  private become(state: LiveState): void {
    if (state === 'live') {
      this.cancelOffline?.();
      this.cancelOffline = null;
    }
    if (this.state === state) return;
    this.state = state;
    this.onMessage({ kind: 'state', state });
    // Without a number nothing is replayed: what pages read until now may be older than what happened.
    if (state === 'live' && this.lastNumber === null) this.onMessage({ kind: 'batch', batch: MISSED });
  }
}

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

/** The browser's own connection, clock and timer. */
export const browserParts: StreamParts = {
  open: (address) => new EventSource(BASE + address),
  now: () => performance.now(),
  later: (ms, run) => {
    const timer = setTimeout(run, ms);
    return () => clearTimeout(timer);
  },
};
