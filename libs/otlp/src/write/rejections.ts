/** Why some items of an export are left out, and how many. */
export interface Rejection {
  /** A sentence without a full stop: `the trace id is not 32 hex digits`. */
  readonly reason: string;
  /** From 1. */
  readonly count: number;
  /** Span id of the first of them as decoded: JSON's in lower case, protobuf's as hex digits. */
  readonly firstSpanId: string;
}

/** Counts what is left out of an export, by reason. */
export class Rejections {
  private readonly byReason = new Map<string, { reason: string; count: number; firstSpanId: string }>();

  add(reason: string, spanId: string, count = 1): void {
    const known = this.byReason.get(reason);
    if (known) known.count += count;
    else this.byReason.set(reason, { reason, count, firstSpanId: spanId });
  }

  addAll(rejected: readonly Rejection[]): void {
    for (const { reason, firstSpanId, count } of rejected) this.add(reason, firstSpanId, count);
  }

  /** One entry a reason, in the order in which they came up. */
  get list(): Rejection[] {
    return [...this.byReason.values()];
  }
}
