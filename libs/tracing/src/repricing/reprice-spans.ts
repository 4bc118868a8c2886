import type { SpanKind } from '@spandrel/contract';
import { fromJsonText } from '@spandrel/storage';
import { isReported } from '../pricing/cost-of-span.js';
import type { PricingTable } from '../pricing/pricing.js';
import { type StoredSpan, STATUS } from '../span.entity.js';
import { isBelow, isOtlp } from '../usage-attribution/usage-attribution.js';
import { spanFacts } from '../write/span-row.js';
import { addCost, toCostSum, type CostSum } from '../write/trace-rollup.js';
import type { UnitOfWork } from '../write/unit-of-work.js';

/** What becomes of spans that are priced again. */
export interface RepricedSums {
  changed: number;
  unchanged: number;
  /** Spans whose cost was reported by their sender or provider. */
  reported: number;
  /** What the changed and the unchanged ones cost. */
  before: CostSum;
  after: CostSum;
}

const NOTHING: CostSum = { usd: 0, pico: 0 };

/** Adds up what {@link repricedSpan} makes of spans. */
export class RepricedCount implements RepricedSums {
  changed = 0;
  unchanged = 0;
  reported = 0;
  before = NOTHING;
  after = NOTHING;

  /** @param after what the prices make of the span, `null` where its cost was reported. */
  add(before: StoredSpan, after: StoredSpan | null): void {
    if (after === null) {
      this.reported++;
      return;
    }
    if (after.cost === before.cost) this.unchanged++;
    else this.changed++;
    this.before = addCost(this.before, toCostSum(before.cost ?? 0));
    this.after = addCost(this.after, toCostSum(after.cost ?? 0));
  }
}

/**
 * A finished span with the cost that the prices make of what it used. One that is covered counts nothing, and keeps doing so.
 * @returns `null` where its sender or its provider reported the cost, which no price goes before.
 */
export function repricedSpan(span: StoredSpan, pricing: PricingTable): StoredSpan | null {
  const kind = fromJsonText(span.kind) as SpanKind;
  if (isBelow(span) && isOtlp(span)) return span;
  if (isReported(kind)) return null;
  return { ...span, cost: spanFacts(kind, span.startedAt, pricing, isOtlp(span)).cost };
}

/** Prices spans again as they are now: those that have gone meanwhile are passed. */
export function repriceSpans(set: UnitOfWork, spanIds: readonly string[], pricing: PricingTable): RepricedSums {
  const count = new RepricedCount();
  for (const id of spanIds) {
    const before = set.span(id);
    if (!before || before.status === STATUS.running) continue;
    const after = repricedSpan(before, pricing);
    count.add(before, after);
    if (after !== null && after.cost !== before.cost) set.amendSpan(before, after);
  }
  return count;
}
