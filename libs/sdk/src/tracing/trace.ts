import type { OutgoingTrace } from '../delivery/outgoing.js';
import { KEY_LENGTH_MAX, NAME_LENGTH_MAX, plainText } from '../recording/plain-text.js';
import type { Recorder } from './recorder.js';
import { formatTime } from './time.js';
import { formatTraceparent } from './traceparent.js';

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

/** Members by which rules of the server choose traces. */
export interface KnownMembers {
  sessionId: string | null;
  userId: string | null;
  tags: readonly string[];
}

/** So many tags a trace may have for the server to take it. */
const TAGS_MAX = 1_000;

/** A trace: it groups the spans that are made while it is open. No method throws. */
export class Trace implements OutgoingTrace {
  /** 32 hex digits. */
  readonly id: string;
  /** Members as they are sent, by their names there. */
  private readonly members: Record<string, string> = {};
  private metadata: Record<string, unknown> = {};
  private text: string | undefined;
  private name = '';
  /** @internal The session, user and tags as they are sent. */
  readonly known: KnownMembers = { sessionId: null, userId: null, tags: [] };

  /**
   * @internal
   * @param changes what this process knows of it: nothing of a trace that it joined.
   */
  constructor(
    private readonly recorder: Recorder | undefined,
    id: string,
    changes?: TraceChanges,
  ) {
    this.id = id;
    if (changes === undefined) return;
    this.members['started_at'] = `"${formatTime(Date.now())}"`;
    this.change(changes);
  }

  /** What to send as the header `traceparent`, so that whoever is called joins this trace. */
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
    if (this.text !== undefined) return this.text;
    this.text = `{"id":"${this.id}"`;
    for (const name in this.members) this.text += `,"${name}":${this.members[name]!}`;
    return (this.text += '}');
  }

  private change({ name, sessionId, userId, tags, metadata }: TraceChanges): void {
    const { members, known } = this;
    this.text = undefined;
    if (name !== undefined) {
      this.name = plainText(name, NAME_LENGTH_MAX);
      members['name'] = JSON.stringify(this.name);
    }
    if (sessionId !== undefined) members['session_id'] = JSON.stringify((known.sessionId = keyOf(sessionId)));
    if (userId !== undefined) members['user_id'] = JSON.stringify((known.userId = keyOf(userId)));
    if (tags !== undefined) {
      known.tags = Array.from(tags, (tag) => plainText(tag, KEY_LENGTH_MAX)).slice(0, TAGS_MAX);
      members['tags'] = JSON.stringify(known.tags);
    }
    if (metadata === undefined) return;
    this.metadata = { ...this.metadata, ...metadata };
    const where = { field: 'metadata', of: 'trace', name: this.name } as const;
    const json = this.recorder?.recording.metadata(this.metadata, where, {});
    if (json !== undefined) members['metadata'] = json;
  }
}

const keyOf = (text: unknown): string | null => (text === null ? null : plainText(text, KEY_LENGTH_MAX));

/** The trace of instances that record nothing. */
export const NO_TRACE = new Trace(undefined, '');
