import type { OutgoingSpan, Queue, QueuedItem, QueuedTrace } from './queue.js';

/**
 * Memory for the bodies of batches, one after another in the same place. With memory of its own for each, a flush takes so much
 * outside of V8's heap that V8 stops the application for 5 to 10 ms at a time to look for garbage.
 */
export class BodyRoom {
  private room = new Uint8Array(0);

  /**
   * @param isCopied whether `fetch` copies a body as it is called, as the Fetch standard has it ("extract a body"). Where
   *   another one is given, nobody knows how long it reads what it got: then each body has memory of its own.
   */
  constructor(private readonly isCopied: boolean) {}

  /** @returns so many bytes, whatever is in them; with `isCopied` they are those that were given last. */
  take(bytes: number): Uint8Array<ArrayBuffer> {
    if (!this.isCopied) return new Uint8Array(bytes);
    // Full batches differ by a span at most: all of them fit in the first one's room.
    if (bytes > this.room.length) this.room = new Uint8Array(2 ** Math.ceil(Math.log2(bytes)));
    return this.room.subarray(0, bytes);
  }

  release(): void {
    this.room = new Uint8Array(0);
  }
}

interface SentTrace {
  readonly trace: QueuedTrace;
  /** The queue's version of it; null when nothing queued needs it. */
  readonly version: number | null;
}

/** One request to `POST /api/ingest`. */
export interface Batch {
  readonly items: readonly QueuedItem[];
  /** Spans that run still, reported for the first time; they come after the items' spans. */
  readonly running: readonly OutgoingSpan[];
  readonly traces: readonly SentTrace[];
  readonly body: Uint8Array<ArrayBuffer>;
}

const encoder = new TextEncoder();
const HEAD = '{"traces":[';
const MIDDLE = '],"spans":[';
const SCORES = '],"scores":[';
const TAIL = ']}';
const COMMA = 44;
/** One after a span and one after its trace. */
const COMMAS = 2;

/**
 * Puts together the oldest items and, where there is room left, the spans that run and have not been reported.
 * @param limits `items`: spans and changed traces; the traces that spans need come along uncounted. `bytes`: of the body,
 *   which a single item may exceed.
 * @param room for the body.
 * @returns `null` when nothing waits.
 */
export function composeBatch(
  queue: Queue,
  unreported: Iterable<OutgoingSpan>,
  limits: { readonly items: number; readonly bytes: number },
  room: BodyRoom,
): Batch | null {
  const draft = new Draft(queue, limits.items, limits.bytes);
  while (draft.takeItem());
  for (const span of unreported) if (!draft.takeRunning(span)) break;
  return draft.finish(room);
}

class Draft {
  private readonly items: QueuedItem[] = [];
  private readonly running: OutgoingSpan[] = [];
  private readonly runningTexts: Uint8Array[] = [];
  private readonly traces = new Map<QueuedTrace, SentTrace>();
  private readonly traceTexts: string[] = [];
  private bytes = HEAD.length + MIDDLE.length + SCORES.length + TAIL.length;

  constructor(
    private readonly queue: Queue,
    private readonly itemsMax: number,
    private readonly bytesMax: number,
  ) {}

  takeItem(): boolean {
    const item = this.queue.at(this.items.length);
    if (item === undefined || !this.take(item.trace, item.text ? item.text.end - item.text.start : 0)) return false;
    this.items.push(item);
    return true;
  }

  takeRunning(span: OutgoingSpan): boolean {
    if (this.isFull) return false;
    const text = encoder.encode(span.json());
    if (!this.take(this.queue.traceOf(span.trace), text.length)) return false;
    this.running.push(span);
    this.runningTexts.push(text);
    return true;
  }

  finish(room: BodyRoom): Batch | null {
    const { items, running } = this;
    if (items.length + running.length === 0) return null;
    return { items, running, traces: [...this.traces.values()], body: this.write(room.take(this.bytes)) };
  }

  private get isFull(): boolean {
    return this.items.length + this.running.length >= this.itemsMax;
  }

  /** @returns false when it does not fit beside what is there. */
  private take(trace: QueuedTrace, spanBytes: number): boolean {
    if (this.isFull) return false;
    const { json, bytes, version, items } = trace;
    const isKnown = this.traces.has(trace);
    const more = (isKnown ? 0 : bytes) + spanBytes + COMMAS;
    if (this.items.length + this.running.length > 0 && this.bytes + more > this.bytesMax) return false;
    this.bytes += more;
    if (isKnown || json === '') return true;
    this.traces.set(trace, { trace, version: items > 0 ? version : null });
    this.traceTexts.push(json);
    return true;
  }

  private write(body: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    let at = 0;
    const write = (json: string): void => {
      at += encoder.encodeInto(json, body.subarray(at)).written;
    };
    const copy = (bytes: Uint8Array, isFirst: boolean): void => {
      if (!isFirst) body[at++] = COMMA;
      body.set(bytes, at);
      at += bytes.length;
    };
    write(HEAD);
    write(this.traceTexts.join(','));
    write(MIDDLE);
    const start = at;
    const copyItems = (ofScores: boolean): void => {
      const start = at;
      for (const { text, isScore } of this.items)
        if (text && isScore === ofScores) copy(text.chunk.subarray(text.start, text.end), at === start);
    };
    copyItems(false);
    for (const bytes of this.runningTexts) copy(bytes, at === start);
    if (this.items.some(({ isScore }) => isScore)) {
      write(SCORES);
      copyItems(true);
    }
    write(TAIL);
    return body.subarray(0, at);
  }
}

export const spanCount = ({ items, running }: Batch): number =>
  items.filter(({ text, isScore }) => text !== null && !isScore).length + running.length;

export const scoreCount = ({ items }: Batch): number => items.filter(({ isScore }) => isScore).length;
