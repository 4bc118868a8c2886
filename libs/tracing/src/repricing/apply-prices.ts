import { Inject, Injectable } from '@nestjs/common';
import { AuditTrail } from '@spandrel/audit';
import { formatTimestamp, type AppliedPrices, type ApplyPrices as ApplyPricesRequest } from '@spandrel/contract';
import { type Scope, Invalid } from '@spandrel/kernel';
import { Storage, decodeCursor, encodeCursor } from '@spandrel/storage';
import { PRICING, type PricingTable } from '../pricing/pricing.js';
import { SpanStore } from '../span.store.js';
import { RecordWrites } from '../write/record-writes.js';
import { addCost, costOf } from '../write/trace-rollup.js';
import { PricedSpansStore, type PlacedSpan } from './priced-spans.store.js';
import { RepricedCount, repricedSpan, type RepricedSums } from './reprice-spans.js';

/** Payload that one transaction loads, about: other writers wait meanwhile. */
const BYTES_MAX = 4 * 1024 * 1024;

/** `POST /api/prices/apply`: prices recorded spans again, some in one transaction (docs/spec/prices.md#applying-prices). */
@Injectable()
export class ApplyPrices {
  constructor(
    private readonly storage: Storage,
    private readonly priced: PricedSpansStore,
    private readonly spans: SpanStore,
    private readonly writes: RecordWrites,
    private readonly audit: AuditTrail,
    @Inject(PRICING) private readonly pricing: PricingTable,
  ) {}

  /**
   * Goes on behind the cursor. Doing it again changes nothing.
   * @returns what became of these spans; all of it is durable.
   * @throws Invalid `invalid_cursor`; Unavailable when the database is lost.
   */
  async execute(scope: Scope, request: ApplyPricesRequest): Promise<AppliedPrices> {
    const { since, model, unpriced, cursor } = request;
    const isDry = request.dry_run === true;
    const from = typeof cursor === 'string' ? readApplyCursor(cursor) : undefined;
    const details = {
      ...(typeof since === 'number' && { since: formatTimestamp(since) }),
      ...(typeof model === 'string' && { model }),
      ...(unpriced === true && { unpriced }),
    };
    if (!from && !isDry) await this.record(scope, 'prices.apply_begun', details);
    const size = { spans: this.writes.jobRecords, bytes: BYTES_MAX };
    const { spans, isLast } = await this.priced.slice(scope, request, from?.behind, size);
    const sums = await this.reprice(scope, spans, isDry);
    const soFar = added(from?.soFar ?? new RepricedCount(), sums);
    if (isLast && !isDry) {
      const counted = { spans_examined: examinedOf(soFar), spans_changed: soFar.changed };
      const cost = { cost_before: costOf(soFar.before), cost_after: costOf(soFar.after) };
      await this.record(scope, 'prices.applied', { ...details, ...counted, ...cost });
    }
    const { changed, unchanged, reported, before, after } = sums;
    return {
      examined: examinedOf(sums),
      ...{ changed, unchanged, reported },
      ...{ before: costOf(before), after: costOf(after) },
      next_cursor: isLast ? null : writeApplyCursor({ behind: spans.at(-1)!, soFar }),
    };
  }

  private async reprice(scope: Scope, spans: readonly PlacedSpan[], isDry: boolean): Promise<RepricedSums> {
    const spanIds = spans.map(({ id }) => id);
    if (spanIds.length === 0) return new RepricedCount();
    if (!isDry) return (await this.writes.execute({ type: 'reprice_spans', scope, spanIds }, 'repriced')).sums;
    const count = new RepricedCount();
    for (const span of await this.spans.loadSome(scope, spanIds)) {
      count.add(span, repricedSpan(span, this.pricing));
    }
    return count;
  }

  private record(scope: Scope, action: 'prices.apply_begun' | 'prices.applied', details: object): Promise<void> {
    return this.audit.recordAlone(this.storage, {
      action,
      ...scope,
      targetId: scope.projectId,
      details: { ...details },
    });
  }
}

const examinedOf = ({ changed, unchanged, reported }: RepricedSums): number => changed + unchanged + reported;

const added = (a: RepricedSums, b: RepricedSums): RepricedSums => ({
  changed: a.changed + b.changed,
  unchanged: a.unchanged + b.unchanged,
  reported: a.reported + b.reported,
  before: addCost(a.before, b.before),
  after: addCost(a.after, b.after),
});

/** Where a run that applies prices goes on. */
interface ApplyPosition {
  readonly behind: PlacedSpan;
  /** What it has come to: its last answer leaves that in the audit log. */
  readonly soFar: RepricedSums;
}

const LIST = 'prices:apply';

export function writeApplyCursor({ behind, soFar }: ApplyPosition): string {
  const { changed, unchanged, reported, before, after } = soFar;
  const numbers = [behind.startedAt, changed, unchanged, reported, before.usd, before.pico, after.usd, after.pico];
  return encodeCursor(LIST, { value: numbers.join(), id: behind.id });
}

/** @throws Invalid `invalid_cursor` when it is malformed or made for something else. */
export function readApplyCursor(cursor: string): ApplyPosition {
  const { value, id } = decodeCursor(LIST, cursor, 'text');
  const numbers = String(value).split(',').map(Number);
  if (numbers.length !== 8 || !numbers.every(Number.isSafeInteger)) {
    throw new Invalid('invalid_cursor', 'the cursor is malformed or was made for another request');
  }
  const [startedAt = 0, changed = 0, unchanged = 0, reported = 0, ...costs] = numbers;
  const [beforeUsd = 0, beforePico = 0, afterUsd = 0, afterPico = 0] = costs;
  const before = { usd: beforeUsd, pico: beforePico };
  const after = { usd: afterUsd, pico: afterPico };
  return { behind: { id, startedAt }, soFar: { changed, unchanged, reported, before, after } };
}
