import type { OutgoingTrace, QueuedTrace } from '../delivery/queue.js';
import { KEY_LENGTH_MAX, NAME_LENGTH_MAX, plainText } from '../recording/plain-text.js';
import { formatTraceparent } from './ids.js';
import type { Recorder } from './recorder.js';

/** What is known of a trace beside its name. */
export interface TraceOptions {
  /** Groups the traces of one conversation. */
  sessionId?: string | null | undefined;
  userId?: string | null | undefined;
  tags?: readonly string[] | undefined;
  metadata?: Readonly<Record<string, unknown>> | undefined;
}

/** Members of a trace that change; those left out stay, members of `metadata` too. */
export interface TraceChanges extends TraceOptions {
  name?: string | undefined;
}

/** Members by which rules of the server choose traces; undefined where nothing was said. */
type KnownMembers = Readonly<Pick<TraceOptions, 'sessionId' | 'userId' | 'tags'>>;

/** Most traces have a name alone, and all of those that wait share this. */
const NOTHING_KNOWN: KnownMembers = {};

/** So many tags a trace may have for the server to take it. */
const TAGS_MAX = 1_000;

/** A trace: it groups the spans that are made while it is open. No method throws. */
export class Trace implements OutgoingTrace {
  /** 32 hex digits. */
  readonly id: string;
  private readonly recorder: Recorder | undefined;
  private readonly startedAt: string | undefined;
  private name: string | undefined;
  private metadata: Readonly<Record<string, unknown>> | undefined;
  private metadataJson: string | undefined;
  /** @internal The session, user and tags as they are sent. */
  known = NOTHING_KNOWN;
  /** @internal */
  queued: QueuedTrace | undefined;

  /**
   * @internal
   * @param changes what this process knows of it: nothing of a trace that it joined.
   */
  constructor(recorder: Recorder | undefined, id: string, changes?: TraceChanges) {
    this.recorder = recorder;
    this.id = id;
    if (changes === undefined) return;
    this.startedAt = formatTime(Date.now());
    this.change(changes);
  }

  /** What to send as the header `traceparent`, so that anyone who is called joins this trace. */
  get traceparent(): string {
    return formatTraceparent(this.id, null);
  }

  /** Changes what is known of it; also of a trace that began elsewhere. */
  set(changes: TraceChanges): void {
    this.recorder?.guard(() => {
      this.change(changes);
      this.recorder?.delivery.traced(this);
    });
  }

  /** @internal */
  json(): string {
    const { startedAt, name, known, metadataJson } = this;
    let json = `{"id":"${this.id}"`;
    if (startedAt !== undefined) json += `,"started_at":"${startedAt}"`;
    if (name !== undefined) json += `,"name":${JSON.stringify(name)}`;
    if (known.sessionId !== undefined) json += `,"session_id":${JSON.stringify(known.sessionId)}`;
    if (known.userId !== undefined) json += `,"user_id":${JSON.stringify(known.userId)}`;
    if (known.tags !== undefined) json += `,"tags":${JSON.stringify(known.tags)}`;
    if (metadataJson !== undefined) json += `,"metadata":${metadataJson}`;
    return `${json}}`;
  }

  private change({ name, sessionId, userId, tags, metadata }: TraceChanges): void {
    if (name !== undefined) this.name = plainText(name, NAME_LENGTH_MAX);
    if (sessionId !== undefined) this.known = { ...this.known, sessionId: createKey(sessionId) };
    if (userId !== undefined) this.known = { ...this.known, userId: createKey(userId) };
    if (tags !== undefined) {
      const texts = Array.from(tags, (tag) => plainText(tag, KEY_LENGTH_MAX)).slice(0, TAGS_MAX);
      this.known = { ...this.known, tags: texts };
    }
    if (metadata === undefined) return;
    this.metadata = { ...this.metadata, ...metadata };
    const where = { field: 'metadata', of: 'trace', name: this.name ?? '' } as const;
    this.metadataJson = this.recorder?.recording.metadata(this.metadata, where, {}) ?? this.metadataJson;
  }
}

const createKey = (text: unknown): string | null => (text === null ? null : plainText(text, KEY_LENGTH_MAX));

/** The trace of instances that record nothing. */
export const NO_TRACE = new Trace(undefined, '');

/** 0001-01-01 and 9999-12-31: what four-digit years can write. */
const TIME_MIN = -62_135_596_800_000;
const TIME_MAX = 253_402_300_799_999;

/** @returns milliseconds since the epoch; now for what is no time. */
export function timeOf(given: Date | number | undefined): number {
  const time = given === undefined ? NaN : Number(given);
  return time >= TIME_MIN && time <= TIME_MAX ? time : Date.now();
}

/** @param time milliseconds since the epoch. @returns ISO 8601 in UTC. */
export const formatTime = (time: number): string => new Date(time).toISOString();
