import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE, type PluginRegistry } from '@spandrel/kernel';
import type { ModelPrice } from '@spandrel/plugin-api';
import { type SpanRow, STATUS } from './span.entity.js';

/** Prices by exact model name, from which the service computes costs (docs/spec/spans.md#cost). */
export type PricingTable = ReadonlyMap<string, ModelPrice>;

/** Injection token of the {@link PricingTable}. */
export const PRICING = Symbol('pricing');

/** Token counts of a call; `null` is unknown. */
export interface TokenCounts {
  inputTokens: number | null;
  outputTokens: number | null;
  /** The part of the input tokens that was read from the provider's cache. */
  cachedInputTokens: number | null;
}

/** Made by `scripts/generate-pricing.mjs`. */
const TABLE_FILE = 'config/pricing/models.json';

type Prices = Readonly<Record<string, ModelPrice>>;

/**
 * The generated table, with the prices of provider plugins over it and the user's over both.
 * @param overrides from config `pricing.models`.
 * @param ofPlugins what each provider plugin brings, in the order of config: the first that prices a model counts.
 */
export function loadPricing(overrides: Prices = {}, ofPlugins: readonly Prices[] = []): PricingTable {
  const table = JSON.parse(readFileSync(join(PACKAGE.root, TABLE_FILE), 'utf8')) as {
    models: Record<string, ModelPrice>;
  };
  return new Map([table.models, ...ofPlugins.toReversed(), overrides].flatMap((prices) => Object.entries(prices)));
}

/** The prices that the loaded provider plugins bring, in the order of config. */
export const pricesOfPlugins = ({ providers }: Pick<PluginRegistry, 'providers'>): Prices[] =>
  providers.map(({ extension }) => extension.prices ?? {});

/**
 * What a call costs in dollars; `null` when the model has no price or no count is known. A single known count counts
 * alone. Rounded to a trillionth of a dollar, below any price, so that no binary fraction shows.
 */
export function estimateCost(pricing: PricingTable, model: string, tokens: TokenCounts): number | null {
  const price = pricing.get(model);
  if (!price || (tokens.inputTokens === null && tokens.outputTokens === null)) return null;
  const input = tokens.inputTokens ?? 0;
  const cached = Math.min(tokens.cachedInputTokens ?? 0, input);
  const perMillion =
    (input - cached) * price.input +
    cached * (price.cached_input ?? price.input) +
    (tokens.outputTokens ?? 0) * price.output;
  const pico = Math.round(perMillion * 1e6);
  return Number.isSafeInteger(pico) ? pico / 1e12 : perMillion / 1e6;
}

/** Whether a span has ended with tokens and without a cost (docs/spec/spans.md#unpriced-spans). */
export const isUnpriced = ({ status, totalTokens, cost }: Pick<SpanRow, 'status' | 'totalTokens' | 'cost'>): boolean =>
  status !== STATUS.running && isUnpricedUse(totalTokens, cost);

/** Whether something used tokens and nothing says what they cost. */
export const isUnpricedUse = (tokens: number | null, cost: number | null): boolean =>
  cost === null && tokens !== null && tokens > 0;
