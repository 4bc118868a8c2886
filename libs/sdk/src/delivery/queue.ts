/** How many bytes a text has as UTF-8. JSON holds no lone surrogates, which are counted like the pairs they are halves of. */
export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x80) continue;
    bytes += code < 0x800 || (code >= 0xd800 && code <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}

/**
 * What a queue knows of a trace. The trace holds it and not the other way round, so that of a trace that the application has
 * let go of nothing else waits.
 */
export interface QueuedTrace {
  /** The queue that knows this: what two instances of the SDK record within one trace waits in two queues. */
  readonly queue: object;
  /** What another queue knows of the same trace. */
  readonly next: QueuedTrace | undefined;
  json: string;
  bytes: number;
  /** Rises with each change, so that the answer to an older form settles no newer one. */
  version: number;
  /** Items of the queue that need it. */
  items: number;
  /** Whether one of them is the trace itself. */
  waits: boolean;
  /** The server refused its members: its id alone is sent, so that its spans arrive. */
  isRefused: boolean;
}

export interface OutgoingTrace {
  readonly id: string;
  /** What queues know of it; theirs to write. */
  queued?: QueuedTrace | undefined;
  /**
   * The JSON of the trace as `POST /api/ingest` takes it: whole where this process opened it, else `{ "id": … }`.
   * Never throws.
   */
  json(): string;
}

export interface OutgoingSpan {
  readonly id: string;
  readonly trace: OutgoingTrace;
  /** The JSON of the span as it is now, as `POST /api/ingest` takes it. Never throws. */
  json(): string;
}

interface StoredText {
  readonly chunk: Uint8Array;
  readonly start: number;
  readonly end: number;
}

const CHUNK_BYTES = 131_072;
/** Longer texts have memory of their own, so that a chunk's rest is never large. */
const SHARED_BYTES_MAX = CHUNK_BYTES / 8;

const encoder = new TextEncoder();

/**
 * Keeps texts as the bytes that are sent. What waits takes the memory it is counted with: a string with one character
 * beyond Latin-1 would take twice as much, and an array for each text some hundred bytes more. The garbage collector
 * takes a chunk once nothing of it waits.
 */
class SpanTexts {
  private chunk = new Uint8Array(0);
  private used = 0;

  /** @returns `null`, and keeps nothing, when the text has more than `bytesMax` bytes. */
  store(text: string, bytesMax: number): StoredText | null {
    if (text.length > bytesMax) return null;
    if (text.length > SHARED_BYTES_MAX) return alone(text, bytesMax);
    if (text.length > this.chunk.length - this.used) this.renew();
    let start = this.used;
    let { read, written } = encoder.encodeInto(text, this.chunk.subarray(start));
    if (read < text.length) {
      this.renew();
      start = 0;
      ({ read, written } = encoder.encodeInto(text, this.chunk));
    }
    if (written > bytesMax) return null;
    this.used = start + written;
    return { chunk: this.chunk, start, end: this.used };
  }

  private renew(): void {
    this.chunk = new Uint8Array(CHUNK_BYTES);
    this.used = 0;
  }
}

function alone(text: string, bytesMax: number): StoredText | null {
  const chunk = encoder.encode(text);
  return chunk.length > bytesMax ? null : { chunk, start: 0, end: chunk.length };
}

/** A finished span, a score, or (`text` null) a trace that changed. */
export interface QueuedItem {
  /** The place in the order in which things were recorded. */
  readonly place: number;
  readonly trace: QueuedTrace;
  readonly text: StoredText | null;
  readonly isScore: boolean;
}

/**
 * What waits for delivery, oldest first. Its bound is exact: the bytes of the spans' and traces' JSON, each trace counted
 * once.
 */
export class Queue {
  bytes = 0;
  private readonly items: QueuedItem[] = [];
  private readonly texts = new SpanTexts();
  /** What scores of what this process does not record are sent with: nothing. */
  private readonly nowhere: QueuedTrace = { queue: this, next: undefined, ...UNKNOWN };

  constructor(private readonly bytesMax: number) {}

  get length(): number {
    return this.items.length;
  }

  /** Place of the oldest item; `Infinity` when there is none. */
  get firstPlace(): number {
    return this.items[0]?.place ?? Infinity;
  }

  /**
   * @param json of a span or a score. @param source the trace that it is sent with, where this process records that.
   * @returns false, and keeps nothing, when there is no room.
   */
  addText(json: string, source: OutgoingTrace | undefined, place: number, isScore: boolean): boolean {
    const trace = source ? this.traceOf(source) : this.nowhere;
    const room = this.bytesMax - this.bytes - (trace.items > 0 ? 0 : trace.bytes);
    const text = this.texts.store(json, room);
    if (text === null) return false;
    this.bytes += text.end - text.start;
    this.add(place, trace, text, isScore);
    return true;
  }

  /** A trace that waits is renewed in its place. @returns `full`, with nothing queued or renewed, when there is no room. */
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

  at(index: number): QueuedItem | undefined {
    return this.items[index];
  }

  /** Takes away the oldest `count` items except those to keep, which stay the oldest. @param keep their indexes, rising. */
  remove(count: number, keep: readonly number[]): void {
    const kept = new Set(keep.map((index) => this.items[index]!));
    for (const item of this.items.splice(0, count, ...kept)) if (!kept.has(item)) this.release(item);
  }

  private release({ trace, text }: QueuedItem): void {
    if (text === null) trace.waits = false;
    else this.bytes -= text.end - text.start;
    if (--trace.items > 0) return;
    this.bytes -= trace.bytes;
    trace.json = '';
  }

  private add(place: number, trace: QueuedTrace, text: StoredText | null, isScore = false): void {
    if (trace.items++ === 0) this.bytes += trace.bytes;
    this.items.push({ place, trace, text, isScore });
  }

  private renew(trace: QueuedTrace, json: string, bytes: number): void {
    if (trace.items > 0) this.bytes += bytes - trace.bytes;
    trace.json = json;
    trace.bytes = bytes;
    trace.version++;
  }

  private known(source: OutgoingTrace): QueuedTrace {
    for (let trace = source.queued; trace !== undefined; trace = trace.next) if (trace.queue === this) return trace;
    return (source.queued = { queue: this, next: source.queued, ...UNKNOWN });
  }
}

const UNKNOWN = { json: '', bytes: 0, version: 0, items: 0, waits: false, isRefused: false };

const byId = (id: string): string => JSON.stringify({ id });
