import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PACKAGE, type PluginRegistry } from '@spandrel/kernel';
import type { ModelPrice } from '@spandrel/plugin-api';
import { costParts, type PricedUsage } from './cost-parts.js';
import { type SpanRow, STATUS } from '../span.entity.js';

/** Prices by exact model name, from which the service computes costs (docs/spec/recording.md#price). */
export type PricingTable = Pick<ReadonlyMap<string, ModelPrice>, 'get'>;

/** Injection token of the {@link PricingTable}. */
export const PRICING = Symbol('pricing');

/** Made by `scripts/generate-pricing.mjs`. */
const TABLE_FILE = 'config/pricing/models.json';

export type Prices = Readonly<Record<string, ModelPrice>>;

/** A table of prices with who says so, which holds for those that do not say themselves. */
export interface PriceTable {
  source: string;
  models: Prices;
}

/** Who says so of prices of the configuration. */
const CONFIGURED = 'pricing.models';

/**
 * The generated table, with that of a file over it, those of plugins over these, and the user's over all.
 * @param overrides from config `pricing.models`.
 * @param ofPlugins what each provider plugin brings, in the order of config: the first that prices a model counts.
 */
export function loadPricing(
  overrides: Prices = {},
  ofPlugins: readonly PriceTable[] = [],
  ofFile?: PriceTable,
): ReadonlyMap<string, ModelPrice> {
  const tables = [builtInPrices(), ...(ofFile ? [ofFile] : []), ...ofPlugins.toReversed()];
  tables.push({ source: CONFIGURED, models: overrides });
  return new Map(tables.flatMap(sourcedPrices));
}

const sourcedPrices = ({ source, models }: PriceTable): [string, ModelPrice][] =>
  Object.entries(models).map(([model, price]) => [model, { ...price, source: price.source ?? source }]);

const builtInPrices = (): PriceTable => JSON.parse(readFileSync(join(PACKAGE.root, TABLE_FILE), 'utf8')) as PriceTable;

/** The prices that the loaded provider plugins bring, in the order of config. */
export const pricesOfPlugins = ({ providers }: Pick<PluginRegistry, 'providers'>): PriceTable[] =>
  providers.map(({ name, extension }) => ({ source: `plugin ${name}`, models: extension.prices ?? {} }));

/** The price of a model; one that is fine-tuned, `ft:BASE:…`, has that of `ft:BASE` unless it has its own. */
export function findPrice(pricing: PricingTable, model: string): ModelPrice | undefined {
  const name = pricedName(pricing, model);
  return name === undefined ? undefined : pricing.get(name);
}

/** The name under which {@link findPrice} finds the price of a model. */
export function pricedName(pricing: Pick<ReadonlyMap<string, unknown>, 'get'>, model: string): string | undefined {
  const names = model.startsWith('ft:') ? [model, model.split(':', 2).join(':')] : [model];
  return names.find((name) => pricing.get(name) !== undefined);
}

/**
 * What a call costs in dollars; `null` when the model has no price or no count is known.
 * @param at when it began, in milliseconds since the epoch.
 */
export function estimateCost(
  pricing: PricingTable,
  model: string,
  usage: PricedUsage,
  at: number = Date.now(),
): number | null {
  const price = findPrice(pricing, model);
  return price ? (costParts(price, usage, at)?.total ?? null) : null;
}

/** Whether a span has ended with tokens and without a cost (docs/spec/spans.md#unpriced-spans). */
export const isUnpriced = ({ status, totalTokens, cost }: Pick<SpanRow, 'status' | 'totalTokens' | 'cost'>): boolean =>
  status !== STATUS.running && isUnpricedUse(totalTokens, cost);

/** Whether something used tokens and nothing says what they cost. */
export const isUnpricedUse = (tokens: number | null, cost: number | null): boolean =>
  cost === null && tokens !== null && tokens > 0;
