import type { OutgoingSpan, OutgoingTrace } from './outgoing.js';
import { SpanTexts, type StoredText } from './span-texts.js';
import { utf8Bytes } from './utf8-bytes.js';

/** A trace that something in the queue needs. */
export interface QueuedTrace {
  readonly source: OutgoingTrace;
  json: string;
  bytes: number;
  /** Rises with each change, so that the answer to an older form settles no newer one. */
  version: number;
  /** Items of the queue that need it. */
  items: number;
  /** Whether one of them is the trace itself. */
  waits: boolean;
}

/** A finished span, or (`text` null) a trace that changed. */
export interface QueuedItem {
  /** The place in the order in which things were recorded. */
  readonly place: number;
  readonly trace: QueuedTrace;
  readonly text: StoredText | null;
}

/** Stands in the places of items that are gone, so that they hold no text. */
const GONE: QueuedItem = {
  place: -1,
  trace: { source: { id: '', json: () => '{}' }, json: '', bytes: 0, version: 0, items: 0, waits: false },
  text: null,
};

/**
 * What waits for delivery, oldest first. Its bound is exact: the bytes of the spans' and traces' JSON, each trace counted
 * once.
 */
export class Queue {
  bytes = 0;
  private items: QueuedItem[] = [];
  /** Items before it are gone. */
  private first = 0;
  /** Two may have one id: of what opened a trace and of what joined it, which knows other members. */
  private readonly traces = new Map<OutgoingTrace, QueuedTrace>();
  private readonly texts = new SpanTexts();
  /** Traces whose members the server refused: only their id is sent, so that their spans arrive. */
  private readonly refused = new WeakSet<OutgoingTrace>();

  constructor(private readonly bytesMax: number) {}

  get length(): number {
    return this.items.length - this.first;
  }

  /** Place of the oldest item; `Infinity` when there is none. */
  get firstPlace(): number {
    return this.items[this.first]?.place ?? Infinity;
  }

  /** @returns false, and keeps nothing, when there is no room. */
  addSpan(span: OutgoingSpan, place: number): boolean {
    const known = this.traces.get(span.trace);
    const trace = known ?? this.read(span.trace);
    const room = this.bytesMax - this.bytes - (known ? 0 : trace.bytes);
    const text = this.texts.store(span.json(), room);
    if (text === null) return false;
    this.bytes += text.end - text.start;
    this.add({ place, trace, text });
    return true;
  }

  /**
   * A trace that waits already is renewed in its place.
   * @returns `full`, with nothing changed, when there is no room.
   */
  addTrace(source: OutgoingTrace, place: number): 'added' | 'renewed' | 'full' {
    this.refused.delete(source);
    const read = this.read(source);
    const known = this.traces.get(source);
    if (this.bytes - (known?.bytes ?? 0) + read.bytes > this.bytesMax) return 'full';
    if (known) this.renew(known, read.json, read.bytes);
    const trace = known ?? read;
    if (trace.waits) return 'renewed';
    trace.waits = true;
    this.add({ place, trace, text: null });
    return 'added';
  }

  /** A trace that spans need, as the queue has it; where nothing queued needs it, as it is now. */
  traceOf(source: OutgoingTrace): QueuedTrace {
    return this.traces.get(source) ?? this.read(source);
  }

  /** Sends the trace by its id alone from now on. @returns false when it already is. */
  refuse(source: OutgoingTrace): boolean {
    if (this.refused.has(source)) return false;
    this.refused.add(source);
    const known = this.traces.get(source);
    if (known) {
      const { json, bytes } = this.read(source);
      this.renew(known, json, bytes);
    }
    return true;
  }

  isRefused(source: OutgoingTrace): boolean {
    return this.refused.has(source);
  }

  /** The item so many after the oldest. */
  at(index: number): QueuedItem | undefined {
    return this.items[this.first + index];
  }

  /** Takes away the oldest `count` items except those to keep, which stay the oldest. */
  remove(count: number, keep: readonly QueuedItem[]): void {
    const { first } = this;
    const end = first + count;
    const kept = new Set(keep);
    for (let index = first; index < end; index++) {
      const item = this.items[index]!;
      if (!kept.has(item)) this.release(item);
    }
    this.first = end - keep.length;
    keep.forEach((item, index) => (this.items[this.first + index] = item));
    for (let index = first; index < this.first; index++) this.items[index] = GONE;
    if (this.first >= this.items.length || this.first > 1_024 + this.items.length / 2) this.compact();
  }

  private release({ trace, text }: QueuedItem): void {
    if (text === null) trace.waits = false;
    else this.bytes -= text.end - text.start;
    if (--trace.items > 0) return;
    this.bytes -= trace.bytes;
    this.traces.delete(trace.source);
  }

  private compact(): void {
    this.items = this.items.slice(this.first);
    this.first = 0;
  }

  private add(item: QueuedItem): void {
    const { trace } = item;
    if (trace.items++ === 0) {
      this.traces.set(trace.source, trace);
      this.bytes += trace.bytes;
    }
    this.items.push(item);
  }

  private renew(trace: QueuedTrace, json: string, bytes: number): void {
    this.bytes += bytes - trace.bytes;
    trace.json = json;
    trace.bytes = bytes;
    trace.version++;
  }

  private read(source: OutgoingTrace): QueuedTrace {
    const json = this.refused.has(source) ? JSON.stringify({ id: source.id }) : source.json();
    return { source, json, bytes: utf8Bytes(json), version: 0, items: 0, waits: false };
  }
}
