import type { QueuedTrace } from './queued-trace.js';
import type { StoredText } from './span-texts.js';

/** A finished span, or (`text` null) a trace that changed. */
export interface QueuedItem {
  /** The place in the order in which things were recorded. */
  readonly place: number;
  readonly trace: QueuedTrace;
  readonly text: StoredText | null;
}

/** So many places may be empty before the others are moved together. */
const EMPTY_MAX = 1_024;

/**
 * Items in their order, a column a member instead of an object an item: what waits is seen by every collection of the
 * application's garbage, which stops it for longer the more objects there are.
 */
export class QueuedItems {
  private places: number[] = [];
  private traces: (QueuedTrace | null)[] = [];
  private chunks: (Uint8Array | null)[] = [];
  private starts: number[] = [];
  private ends: number[] = [];
  /** Items before it are gone. */
  private first = 0;

  get length(): number {
    return this.places.length - this.first;
  }

  /** Place of the oldest item; `Infinity` when there is none. */
  get firstPlace(): number {
    return this.places[this.first] ?? Infinity;
  }

  add(place: number, trace: QueuedTrace, text: StoredText | null): void {
    this.places.push(place);
    this.traces.push(trace);
    this.chunks.push(text && text.chunk);
    this.starts.push(text ? text.start : 0);
    this.ends.push(text ? text.end : 0);
  }

  /** The item so many after the oldest. */
  at(index: number): QueuedItem | undefined {
    const row = this.first + index;
    const trace = this.traces[row];
    if (!trace) return undefined;
    const chunk = this.chunks[row];
    const text = chunk ? { chunk, start: this.starts[row]!, end: this.ends[row]! } : null;
    return { place: this.places[row]!, trace, text };
  }

  /** Takes away the oldest `count` items except those to keep, which stay the oldest. @param keep their indexes, rising. */
  remove(count: number, keep: readonly number[]): void {
    const { first } = this;
    let row = first + count;
    for (const index of keep.toReversed()) this.move(first + index, --row);
    this.first = row;
    // They must hold no text.
    this.traces.fill(null, first, row);
    this.chunks.fill(null, first, row);
    const { length } = this.places;
    if (row >= length || row > EMPTY_MAX + length / 2) this.compact();
  }

  private move(from: number, to: number): void {
    for (const column of this.columns) column[to] = column[from]!;
  }

  private compact(): void {
    for (const column of this.columns) column.splice(0, this.first);
    this.first = 0;
  }

  private get columns(): unknown[][] {
    return [this.places, this.traces, this.chunks, this.starts, this.ends];
  }
}
