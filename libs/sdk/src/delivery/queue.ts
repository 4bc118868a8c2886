import type { OutgoingSpan, OutgoingTrace } from './outgoing.js';
import { QueuedItems, type QueuedItem } from './queued-items.js';
import type { QueuedTrace } from './queued-trace.js';
import { SpanTexts, type StoredText } from './span-texts.js';
import { utf8Bytes } from './utf8-bytes.js';

/**
 * What waits for delivery, oldest first. Its bound is exact: the bytes of the spans' and traces' JSON, each trace counted
 * once.
 */
export class Queue {
  bytes = 0;
  private readonly items = new QueuedItems();
  private readonly texts = new SpanTexts();

  constructor(private readonly bytesMax: number) {}

  get length(): number {
    return this.items.length;
  }

  /** Place of the oldest item; `Infinity` when there is none. */
  get firstPlace(): number {
    return this.items.firstPlace;
  }

  /** @returns false, and keeps nothing, when there is no room. */
  addSpan(span: OutgoingSpan, place: number): boolean {
    const trace = this.traceOf(span.trace);
    const room = this.bytesMax - this.bytes - (trace.items > 0 ? 0 : trace.bytes);
    const text = this.texts.store(span.json(), room);
    if (text === null) return false;
    this.bytes += text.end - text.start;
    this.add(place, trace, text);
    return true;
  }

  /**
   * A trace that waits already is renewed in its place.
   * @returns `full`, with nothing queued or renewed, when there is no room.
   */
  addTrace(source: OutgoingTrace, place: number): 'added' | 'renewed' | 'full' {
    const trace = this.known(source);
    trace.isRefused = false;
    const json = source.json();
    const bytes = utf8Bytes(json);
    if (this.bytes - (trace.items > 0 ? trace.bytes : 0) + bytes > this.bytesMax) return 'full';
    this.renew(trace, json, bytes);
    if (trace.waits) return 'renewed';
    trace.waits = true;
    this.add(place, trace, null);
    return 'added';
  }

  /** A trace that spans need, as the queue has it; where nothing queued needs it, as it is now. */
  traceOf(source: OutgoingTrace): QueuedTrace {
    const trace = this.known(source);
    if (trace.items > 0) return trace;
    const json = trace.isRefused ? byId(source.id) : source.json();
    this.renew(trace, json, utf8Bytes(json));
    return trace;
  }

  /** Sends the trace by its id alone from now on. @returns false when it already is. */
  refuse(trace: QueuedTrace): boolean {
    if (trace.isRefused) return false;
    trace.isRefused = true;
    if (trace.items === 0) return true;
    const { id } = JSON.parse(trace.json) as { id: string };
    const json = byId(id);
    this.renew(trace, json, utf8Bytes(json));
    return true;
  }

  /** The item so many after the oldest. */
  at(index: number): QueuedItem | undefined {
    return this.items.at(index);
  }

  /** Takes away the oldest `count` items except those to keep, which stay the oldest. @param keep their indexes, rising. */
  remove(count: number, keep: readonly number[]): void {
    const kept = new Set(keep);
    for (let index = 0; index < count; index++) if (!kept.has(index)) this.release(this.items.at(index)!);
    this.items.remove(count, keep);
  }

  private release({ trace, text }: QueuedItem): void {
    if (text === null) trace.waits = false;
    else this.bytes -= text.end - text.start;
    if (--trace.items > 0) return;
    this.bytes -= trace.bytes;
    trace.json = '';
  }

  private add(place: number, trace: QueuedTrace, text: StoredText | null): void {
    if (trace.items++ === 0) this.bytes += trace.bytes;
    this.items.add(place, trace, text);
  }

  private renew(trace: QueuedTrace, json: string, bytes: number): void {
    if (trace.items > 0) this.bytes += bytes - trace.bytes;
    trace.json = json;
    trace.bytes = bytes;
    trace.version++;
  }

  private known(source: OutgoingTrace): QueuedTrace {
    for (let trace = source.queued; trace !== undefined; trace = trace.next) if (trace.queue === this) return trace;
    const fresh = { json: '', bytes: 0, version: 0, items: 0, waits: false, isRefused: false };
    return (source.queued = { queue: this, next: source.queued, ...fresh });
  }
}

const byId = (id: string): string => JSON.stringify({ id });
