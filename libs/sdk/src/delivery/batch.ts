import type { OutgoingSpan, OutgoingTrace } from './outgoing.js';
import type { Queue, QueuedItem } from './queue.js';

/** A trace as a batch carries it. */
interface SentTrace {
  readonly source: OutgoingTrace;
  /** The queue's version of it; null when nothing queued needs it. */
  readonly version: number | null;
}

/** One request to `POST /api/ingest`. */
export interface Batch {
  /** The oldest items of the queue. */
  readonly items: readonly QueuedItem[];
  /** Spans that run still, told for the first time; they come after the items' spans. */
  readonly running: readonly OutgoingSpan[];
  /** In the order of the body. */
  readonly traces: readonly SentTrace[];
  readonly body: Uint8Array<ArrayBuffer>;
}

const encoder = new TextEncoder();
const HEAD = '{"traces":[';
const MIDDLE = '],"spans":[';
const TAIL = ']}';
/** One after a span and one after its trace. */
const COMMAS = 2;

/**
 * Puts together the oldest items and, where there is room left, the spans that run and have not been told.
 * @param limits `items`: spans and changed traces; the traces that spans need come along uncounted. `bytes`: of the body,
 *   which a single item may exceed.
 * @returns `null` when nothing waits.
 */
export function composeBatch(
  queue: Queue,
  untold: Iterable<OutgoingSpan>,
  limits: { readonly items: number; readonly bytes: number },
): Batch | null {
  const draft = new Draft(queue, limits.items, limits.bytes);
  while (draft.takeItem());
  for (const span of untold) if (!draft.takeRunning(span)) break;
  return draft.finish();
}

class Draft {
  private readonly items: QueuedItem[] = [];
  private readonly running: OutgoingSpan[] = [];
  private readonly runningTexts: Uint8Array[] = [];
  private readonly traces = new Map<OutgoingTrace, SentTrace>();
  private readonly traceTexts: Uint8Array[] = [];
  private bytes = HEAD.length + MIDDLE.length + TAIL.length;

  constructor(
    private readonly queue: Queue,
    private readonly itemsMax: number,
    private readonly bytesMax: number,
  ) {}

  takeItem(): boolean {
    const item = this.queue.at(this.items.length);
    if (item === undefined || !this.take(item.trace.source, item.text ? item.text.end - item.text.start : 0))
      return false;
    this.items.push(item);
    return true;
  }

  takeRunning(span: OutgoingSpan): boolean {
    if (this.isFull) return false;
    const text = encoder.encode(span.json());
    if (!this.take(span.trace, text.length)) return false;
    this.running.push(span);
    this.runningTexts.push(text);
    return true;
  }

  finish(): Batch | null {
    const { items, running } = this;
    if (items.length + running.length === 0) return null;
    return { items, running, traces: [...this.traces.values()], body: this.write() };
  }

  private get isFull(): boolean {
    return this.items.length + this.running.length >= this.itemsMax;
  }

  /** @returns false when it does not fit beside what is there. */
  private take(source: OutgoingTrace, spanBytes: number): boolean {
    if (this.isFull) return false;
    const known = this.traces.has(source);
    const json = known ? '' : this.queue.jsonOf(source);
    const traceText = encoder.encode(json);
    const bytes = spanBytes + traceText.length + COMMAS;
    if (this.items.length + this.running.length > 0 && this.bytes + bytes > this.bytesMax) return false;
    this.bytes += bytes;
    if (known) return true;
    this.traces.set(source, { source, version: this.queue.find(source)?.version ?? null });
    this.traceTexts.push(traceText);
    return true;
  }

  private write(): Uint8Array<ArrayBuffer> {
    const body = new Uint8Array(this.bytes);
    let at = 0;
    const put = (bytes: Uint8Array): void => {
      body.set(bytes, at);
      at += bytes.length;
    };
    const text = (ascii: string): void => {
      at += encoder.encodeInto(ascii, body.subarray(at)).written;
    };
    const list = (parts: Iterable<Uint8Array>): void => {
      let isFirst = true;
      for (const part of parts) {
        if (!isFirst) text(',');
        isFirst = false;
        put(part);
      }
    };
    text(HEAD);
    list(this.traceTexts);
    text(MIDDLE);
    list(this.spanTexts());
    text(TAIL);
    return body.subarray(0, at);
  }

  private *spanTexts(): Generator<Uint8Array> {
    for (const { text } of this.items) if (text) yield text.chunk.subarray(text.start, text.end);
    yield* this.runningTexts;
  }
}

/** Spans of the body. */
export const spanCount = ({ items, running }: Batch): number =>
  items.filter(({ text }) => text !== null).length + running.length;
