import type { Rejection } from '../write-export.js';

/** Counts what is left out of an export, by reason. */
export class Rejections {
  private readonly byReason = new Map<string, { reason: string; count: number; firstSpanId: string }>();

  add(reason: string, spanId: string): void {
    const known = this.byReason.get(reason);
    if (known) known.count++;
    else this.byReason.set(reason, { reason, count: 1, firstSpanId: spanId });
  }

  /** One entry a reason, in the order in which they came up. */
  get list(): Rejection[] {
    return [...this.byReason.values()];
  }
}
