import { invalidRequest } from '@spandrel/kernel';
import type { SpanKind } from '@spandrel/contract';
import { jsonText, toJsonText } from '@spandrel/storage';
import { isOtlp } from '../cover/usage-cover.js';
import type { PricingTable } from '../pricing.js';
import type { StoredSpan } from '../span.entity.js';
import { spanFacts } from './span-facts.js';
import { STATUS } from '../status.js';

/** How a span ends. */
export interface Finish {
  /** `null` completes the span, a message fails it. */
  error: string | null;
  /** When it ended; `undefined` is now, or its start when that is later. */
  endedAt: number | undefined;
  now: number;
  /** Replaces the kind. */
  kind: SpanKind | undefined;
  /** Replaces the output; `undefined` keeps it. */
  output: unknown;
  /** JSON text; replaces the metadata, `undefined` keeps them. */
  metadata: string | null | undefined;
}

/**
 * The finished form of a running span. The cost is estimated here, when the tokens are final.
 * @param currentKind the span's kind as it is stored.
 * @throws Invalid when it would end before it started.
 */
export function finishedSpan(
  span: StoredSpan,
  finish: Finish,
  currentKind: SpanKind,
  pricing: PricingTable,
): StoredSpan {
  const endedAt = finish.endedAt ?? Math.max(finish.now, span.startedAt);
  assertEndAfterStart(span.startedAt, endedAt);
  return {
    ...span,
    ...spanFacts(finish.kind ?? currentKind, true, pricing, isOtlp(span)),
    kind: finish.kind === undefined ? span.kind : jsonText(finish.kind),
    output: finish.output === undefined ? span.output : toJsonText(finish.output),
    metadata: finish.metadata === undefined ? span.metadata : finish.metadata,
    error: toJsonText(finish.error),
    status: finish.error === null ? STATUS.completed : STATUS.failed,
    endedAt,
    durationMs: endedAt - span.startedAt,
  };
}

/** @throws Invalid when `endedAt` lies before `startedAt` (docs/spec/spans.md#finishing-a-span). */
export function assertEndAfterStart(startedAt: number, endedAt: number): void {
  if (endedAt >= startedAt) return;
  const message = 'must not lie before started_at';
  throw invalidRequest([{ path: 'ended_at', message }]);
}
