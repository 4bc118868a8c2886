import type { Source, StreamParts } from '../../live/event-stream.js';
import type { LiveEvent } from '../../live/live-event.js';
import type { EventLog } from './event-log.js';

/** Events that come within this time are shown together. */
const SHOWN_TOGETHER_MS = 250;
/** After a pause the first event waits no longer than this for what belongs to it. */
const FIRST_MS = 30;
/** What comes from the log comes without a pause of this length; what comes later is live. */
const REPLAY_PAUSE_MS = 500;
const AGAIN_MS = 5_000;
/** `EventSource.CLOSED`, which tests have no such class for. */
const CLOSED = 2;

/** Fills a log from the stream of events, which is its own: the one that all tabs share counts events and numbers none. */
export class EventFeed {
  private source: Source | null = null;
  private isReplay = false;
  private isFlushing = false;
  private flushedAt = -Infinity;
  private cancelAgain: (() => void) | null = null;
  private cancelLive: (() => void) | null = null;
  /** Whether the server refused the stream; it is asked again and again. */
  isRefused = false;
  /** Whether what happens from now on comes here. */
  isOpen = false;

  constructor(
    private readonly parts: StreamParts,
    private readonly log: EventLog,
    /** The one type that is wanted; all unless given. */
    private readonly type: string | undefined,
    private readonly onChange: () => void,
  ) {}

  /** Opens the stream where the log ends, unless it is open. */
  open(): void {
    if (this.source !== null) return;
    this.cancelAgain?.();
    const { resumeAfter } = this.log;
    const types = this.type === undefined ? '' : `&types=${encodeURIComponent(this.type)}`;
    const since = resumeAfter === null ? '' : `&since=${resumeAfter}`;
    const source = this.parts.open(`/api/events?view=outline${types}${since}`);
    this.source = source;
    this.isReplay = resumeAfter !== null;
    source.onopen = () => {
      this.become({ isOpen: true, isRefused: false });
      this.waitForLive();
    };
    source.onmessage = ({ data, lastEventId }) => this.take(data, lastEventId);
    source.onerror = () => this.fail(source);
    // Nobody draws again what is closed on purpose.
    this.isOpen = false;
  }

  close(): void {
    this.cancelAgain?.();
    this.cancelLive?.();
    this.source?.close();
    this.source = null;
  }

  private take(data: string, lastEventId: string): void {
    if (this.isReplay) this.waitForLive();
    this.log.add(Number(lastEventId), JSON.parse(data) as LiveEvent, this.isReplay ? null : Date.now());
    if (this.isFlushing) return;
    this.isFlushing = true;
    const sinceLast = this.parts.now() - this.flushedAt;
    this.parts.later(Math.max(FIRST_MS, SHOWN_TOGETHER_MS - sinceLast), () => {
      this.isFlushing = false;
      this.flushedAt = this.parts.now();
      this.log.flush();
      this.onChange();
    });
  }

  /** The server does not say where its log ends and now begins. */
  private waitForLive(): void {
    this.cancelLive?.();
    this.cancelLive = this.parts.later(REPLAY_PAUSE_MS, () => {
      this.isReplay = false;
    });
  }

  /** Browsers connect again by themselves, after the last event, unless the answer was a refusal. */
  private fail(source: Source): void {
    if (this.source !== source) return;
    // What is sent after the next connection may have happened before it.
    this.isReplay = true;
    this.cancelLive?.();
    const isRefused = source.readyState === CLOSED;
    this.become({ isOpen: false, isRefused: isRefused || this.isRefused });
    if (!isRefused) return;
    this.source = null;
    this.cancelAgain = this.parts.later(AGAIN_MS, () => this.open());
  }

  private become(now: Pick<EventFeed, 'isOpen' | 'isRefused'>): void {
    if (this.isOpen === now.isOpen && this.isRefused === now.isRefused) return;
    Object.assign(this, now);
    this.onChange();
  }
}
