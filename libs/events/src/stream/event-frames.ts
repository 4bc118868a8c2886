import { EVENT_TYPES, type EventType } from '@spandrel/contract';
import type { EventBatch } from '../log/event-batch.js';

/** First on every stream: how long a client waits before it comes back, in milliseconds. */
export const RETRY = Buffer.from('retry: 2000\n\n');
export const KEEP_ALIVE = Buffer.from(': keep-alive\n\n');

/** Events as bytes of the stream. */
export interface Frames {
  bytes: Buffer;
  count: number;
}

/** Every event begins so, {@link WireEvent}. */
const BEFORE_TYPE = '{"type":"'.length;

/** The type of an event, from the beginning of its JSON text. */
export const typeOf = (line: string): string => line.slice(BEFORE_TYPE, line.indexOf('"', BEFORE_TYPE));

/**
 * Which events a client wants (docs/spec/events.md#filtering-by-type). Clients that want the same share one filter's
 * bytes by its {@link key}.
 */
export class TypeFilter {
  /** A text that is equal for filters that let the same events through. */
  readonly key: string;
  private readonly types: ReadonlySet<string> | undefined;

  /** @param types all when left out. */
  constructor(types?: readonly EventType[]) {
    const wanted = new Set<string>(types ?? EVENT_TYPES);
    this.types = wanted.size === EVENT_TYPES.length ? undefined : wanted;
    this.key = this.types === undefined ? '' : [...wanted].toSorted().join();
  }

  /** The wanted ones of some events as bytes of the stream. @param afterSeq those up to here are left out. */
  frames(batches: readonly EventBatch[], afterSeq: number): Frames {
    let text = '';
    let count = 0;
    for (const { firstSeq, lines } of batches) {
      for (let index = Math.max(0, afterSeq + 1 - firstSeq); index < lines.length; index++) {
        const line = lines[index]!;
        if (this.types !== undefined && !this.types.has(typeOf(line))) continue;
        text += `id: ${firstSeq + index}\nevent: message\ndata: ${line}\n\n`;
        count++;
      }
    }
    return { bytes: Buffer.from(text), count };
  }
}
