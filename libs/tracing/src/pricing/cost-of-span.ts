import {
  isStorableText,
  KEY_LENGTH_MAX,
  numberOf,
  type CostSource,
  type SpanCost,
  type SpanKind,
} from '@spandrel/contract';
import { USAGE_COUNTS } from '@spandrel/plugin-api';
import { fromJsonText } from '@spandrel/storage';
import { costParts, type PricedUsage } from './cost-parts.js';
import { findPrice, type PricingTable } from './pricing.js';
import { type StoredSpan, STATUS } from '../span.entity.js';
import { COVER, isOtlp } from '../usage-attribution/usage-attribution.js';

/** Kinds that are priced wherever they come from, and those that are if they came by OTLP (docs/spec/otlp.md#prices). */
const PRICED_KINDS: readonly string[] = ['llm_call', 'embedding'];
const PRICED_OTLP_KINDS: readonly string[] = [...PRICED_KINDS, 'custom'];

/** Whether the price table counts for a kind that names a model. */
export const isPricedKind = (type: string, otlp: boolean): boolean =>
  (otlp ? PRICED_OTLP_KINDS : PRICED_KINDS).includes(type);

/** Who says what a span cost (docs/spec/spans.md#cost-source); `null` when it has no cost. @param kind its stored kind, where that is parsed already. */
export function costSource(
  span: Pick<StoredSpan, 'kind' | 'kindType' | 'cost' | 'cover'>,
  kind?: SpanKind,
): CostSource | null {
  if (span.cost === null) return null;
  if (isPricedKind(span.kindType, isOtlp(span)) && !isReported(kind ?? (fromJsonText(span.kind) as SpanKind)))
    return 'table';
  return ((span.cover ?? 0) & COVER.providerCost) === 0 ? 'sender' : 'provider';
}

/** Whether a kind says itself what its span cost. */
export const isReported = (kind: SpanKind): boolean => amountOrNull(kind['cost']) !== null;

/** What a kind says that its span used. */
export function usageOfKind(kind: SpanKind): PricedUsage {
  const counts = Object.entries(USAGE_COUNTS).map(([name, member]) => [name, countOrNull(kind[member])]);
  return { ...(Object.fromEntries(counts) as PricedUsage), serviceTier: keyOrNull(kind['service_tier']) };
}

/**
 * What a span's cost is made of, by the prices of now (docs/spec/recording.md#parts-of-a-cost). It has no parts where the cost
 * was reported, or was counted by other prices.
 */
export function costOfSpan(span: StoredSpan, pricing: PricingTable): SpanCost {
  const kind = fromJsonText(span.kind) as SpanKind;
  const source = span.status === STATUS.running ? null : costSource(span, kind);
  if (source === null) return { total: null, source, parts: null, reason: reasonOfNoCost(span, pricing) };
  const total = span.cost!;
  if (source !== 'table') return { total, source, parts: [] };
  const usage = usageOfKind(kind);
  const price = findPrice(pricing, span.model ?? '');
  const counted = price && costParts(price, usage, span.startedAt);
  const reported = { total, source, model: span.model, service_tier: usage.serviceTier ?? null };
  if (counted?.total !== total) {
    return {
      ...reported,
      price_source: null,
      parts: [],
      reason: `the price of ${JSON.stringify(span.model)} was another one`,
    };
  }
  return { ...reported, price_source: price?.source ?? null, parts: counted.parts };
}

function reasonOfNoCost(span: StoredSpan, pricing: PricingTable): string {
  if (span.status === STATUS.running) return 'the span is running';
  if (!isPricedKind(span.kindType, isOtlp(span))) return `spans of kind ${JSON.stringify(span.kindType)} have no price`;
  if (span.model === null) return 'the span names no model';
  if (span.inputTokens === null && span.outputTokens === null) return 'the span has no token counts';
  const name = JSON.stringify(span.model);
  const price = findPrice(pricing, span.model);
  if (!price) return `no price for model ${name}`;
  const isPriced = costParts(price, usageOfKind(fromJsonText(span.kind) as SpanKind), span.startedAt) !== null;
  return isPriced ? `${name} had no price when the span ended` : `${name} has no price for pictures`;
}

export const keyOrNull = (value: unknown): string | null =>
  typeof value === 'string' && value.length <= KEY_LENGTH_MAX && isStorableText(value) ? value : null;

export const countOrNull = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;

/** The nearest double of an amount with more digits. */
export function amountOrNull(value: unknown): number | null {
  const amount = numberOf(value);
  return amount !== undefined && Number.isFinite(amount) && amount >= 0 ? amount : null;
}
