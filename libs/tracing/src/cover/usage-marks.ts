import { markedId } from './usage-cover.js';

/** A mark: something below a span that is not there has usage. */
export interface UsageMark {
  traceId: string;
  /** The id that the sender gave. */
  spanId: string;
}

/** The marks that a transaction finds, takes and makes. */
export class UsageMarks {
  /** By trace and span; whether the table has it, and whether it shall. */
  private readonly marks = new Map<string, UsageMark & { stored: boolean; kept: boolean }>();

  load(mark: UsageMark): void {
    this.marks.set(keyOf(mark), { ...mark, stored: true, kept: true });
  }

  has(id: string, traceId: string): boolean {
    const spanId = markedId(id, traceId);
    return spanId !== null && (this.marks.get(keyOf({ traceId, spanId }))?.kept ?? false);
  }

  add(id: string, traceId: string): void {
    const spanId = markedId(id, traceId);
    if (spanId === null) return;
    const mark = { traceId, spanId };
    this.marks.set(keyOf(mark), { ...mark, stored: this.marks.get(keyOf(mark))?.stored ?? false, kept: true });
  }

  /** Takes the mark of a span that has come. @returns whether it had one. */
  take(id: string, traceId: string): boolean {
    if (!this.has(id, traceId)) return false;
    const key = keyOf({ traceId, spanId: markedId(id, traceId)! });
    this.marks.set(key, { ...this.marks.get(key)!, kept: false });
    return true;
  }

  /** Marks to be written, in the order of their keys; some of them may be in the table already. */
  get made(): UsageMark[] {
    return inOrder([...this.marks.values()].filter(({ stored, kept }) => kept && !stored));
  }

  /** Marks to be deleted. */
  get taken(): UsageMark[] {
    return [...this.marks.values()].filter(({ stored, kept }) => stored && !kept);
  }
}

/** Transactions that both make a trace wait for each other at the marks they have in common, which all write in one order. */
const inOrder = <Mark extends UsageMark>(marks: readonly Mark[]): Mark[] =>
  marks.toSorted((a, b) => (`${a.traceId} ${a.spanId}` < `${b.traceId} ${b.spanId}` ? -1 : 1));

const keyOf = ({ traceId, spanId }: UsageMark): string => `${spanId} ${traceId}`;
