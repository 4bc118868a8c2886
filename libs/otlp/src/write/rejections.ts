import type { Rejection } from '../write-export.js';

/** Counts what is left out of an export, by reason. */
export class Rejections {
  private readonly byReason = new Map<string, { reason: string; count: number; firstSpanId: string }>();

  add(reason: string, spanId: string, count = 1): void {
    const known = this.byReason.get(reason);
    if (known) known.count += count;
    else this.byReason.set(reason, { reason, count, firstSpanId: spanId });
  }

  /** Adds those of a part of the export. */
  addAll(rejected: readonly Rejection[]): void {
    for (const { reason, firstSpanId, count } of rejected) this.add(reason, firstSpanId, count);
  }

  /** One entry a reason, in the order in which they came up. */
  get list(): Rejection[] {
    return [...this.byReason.values()];
  }
}
