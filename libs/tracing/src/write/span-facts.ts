import { isStorableText, KEY_LENGTH_MAX, numberOf, type SpanKind } from '@spandrel/contract';
import { estimateCost, type PricingTable } from '../pricing.js';
import type { SpanRow } from '../span.entity.js';

/** Kinds that are priced in spans that came by OTLP, where they name a model (docs/spec/otlp.md#prices). */
const PRICED_OTLP_KINDS: readonly string[] = ['llm_call', 'embedding', 'custom'];

/** The columns that a span's kind fills. */
export type SpanFacts = Pick<
  SpanRow,
  'kindType' | 'model' | 'provider' | 'inputTokens' | 'outputTokens' | 'totalTokens' | 'cost'
>;

/**
 * What is counted and looked up of a kind. Members that are not of their usual type are kept in the kind but not here.
 * @param finished whether the cost of an `llm_call` may be estimated: before, its tokens are not final.
 * @param otlp whether the span came by OTLP, where more kinds are priced.
 */
export function spanFacts(kind: SpanKind, finished: boolean, pricing: PricingTable, otlp = false): SpanFacts {
  const model = keyOrNull(kind['model']);
  const inputTokens = countOrNull(kind['input_tokens']);
  const outputTokens = countOrNull(kind['output_tokens']);
  const facts: SpanFacts = {
    kindType: kind.type,
    model,
    provider: keyOrNull(kind['provider']),
    inputTokens,
    outputTokens,
    totalTokens: inputTokens === null && outputTokens === null ? null : (inputTokens ?? 0) + (outputTokens ?? 0),
    cost: amountOrNull(kind['cost']),
  };
  const isPriced = otlp ? PRICED_OTLP_KINDS.includes(kind.type) : kind.type === 'llm_call';
  if (facts.cost !== null || !finished || !isPriced || model === null) return facts;
  const cachedInputTokens = countOrNull(kind['cached_input_tokens']);
  return { ...facts, cost: estimateCost(pricing, model, { inputTokens, outputTokens, cachedInputTokens }) };
}

const keyOrNull = (value: unknown): string | null =>
  typeof value === 'string' && value.length <= KEY_LENGTH_MAX && isStorableText(value) ? value : null;

const countOrNull = (value: unknown): number | null =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null;

/** The nearest double of an amount with more digits. */
function amountOrNull(value: unknown): number | null {
  const amount = numberOf(value);
  return amount !== undefined && Number.isFinite(amount) && amount >= 0 ? amount : null;
}
