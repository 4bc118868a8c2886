import { EVENT_TYPES, type EventType, type View } from '@spandrel/contract';
import { type EventBatch, typeOf } from '../log/event-batch.js';
import { eventOutline, traceIdOf } from './event-outline.js';

/** First on every stream: how long a client waits before it comes back, in milliseconds. */
export const RETRY = Buffer.from('retry: 2000\n\n');
export const KEEP_ALIVE = Buffer.from(': keep-alive\n\n');

/** Events as bytes of the stream. */
export interface Frames {
  bytes: Buffer;
  count: number;
}

/** What a client wants of the events. */
export interface WantedEvents {
  /** All when left out. */
  types?: readonly EventType[] | undefined;
  /** `full` when left out. */
  view?: View;
  /** Events of this trace, and those that may be of any. */
  traceId?: string | undefined;
}

/** Events that do not name the trace they may be of. */
const OF_ANY_TRACE: ReadonlySet<string> = new Set<EventType>(['span_deleted', 'cleared']);

/** The outlines of the lines of batches that are in memory: made once, whatever else their clients want. */
const outlines = new WeakMap<readonly string[], readonly string[]>();

/**
 * Which events a client wants, and in which view (docs/spec/events.md#filtering-by-type). Clients that want the same share
 * one filter's bytes by its {@link key}.
 */
export class EventFilter {
  /** A text that is equal for filters that let the same events through in the same view. */
  readonly key: string;
  private readonly types: ReadonlySet<string> | undefined;
  private readonly view: View;
  private readonly traceId: string | undefined;

  constructor({ types, view = 'full', traceId }: WantedEvents = {}) {
    const wanted = new Set<string>(types ?? EVENT_TYPES);
    this.types = wanted.size === EVENT_TYPES.length ? undefined : wanted;
    this.view = view;
    this.traceId = traceId;
    this.key = JSON.stringify([view, this.types && [...wanted].toSorted(), traceId]);
  }

  /** The wanted ones of some events as bytes of the stream. @param afterSeq those up to here are left out. */
  frames(batches: readonly EventBatch[], afterSeq: number): Frames {
    let text = '';
    let count = 0;
    for (const { firstSeq, lines } of batches) {
      const shown = this.view === 'outline' ? outlinesOf(lines) : lines;
      for (let index = Math.max(0, afterSeq + 1 - firstSeq); index < lines.length; index++) {
        const line = shown[index]!;
        if (!this.takes(line)) continue;
        text += `id: ${firstSeq + index}\nevent: message\ndata: ${line}\n\n`;
        count++;
      }
    }
    return { bytes: Buffer.from(text), count };
  }

  /** @param line the JSON of an event. */
  private takes(line: string): boolean {
    if (this.types === undefined && this.traceId === undefined) return true;
    const type = typeOf(line);
    if (this.types !== undefined && !this.types.has(type)) return false;
    return this.traceId === undefined || OF_ANY_TRACE.has(type) || traceIdOf(line) === this.traceId;
  }
}

function outlinesOf(lines: readonly string[]): readonly string[] {
  let made = outlines.get(lines);
  if (!made) outlines.set(lines, (made = lines.map(eventOutline)));
  return made;
}
