import type { CallPrices, ModelPrice, Price, TierPrices, TimedPrices, TokenPrices } from '@spandrel/plugin-api';
import { z } from 'zod';

/**
 * Prices in the form of `@pydantic/genai-prices`, as its data file and its package have them: a list of providers with
 * their models. Types alone are imported beside zod, so that `scripts/generate-pricing.mjs` can load this file as it is.
 */

const dollars = z.number().min(0);

const genaiPrice = z.union([
  dollars,
  z.object({ base: dollars, tiers: z.array(z.object({ start: z.number().int().min(0), price: dollars })) }),
]);

/** Prices of what has no place in ours (hours of audio, pages) are there, too, and are not read. */
const genaiPrices = z.record(z.string(), z.union([genaiPrice, z.null()]).optional());
type GenaiPrices = z.output<typeof genaiPrices>;

const timeOfDay = z.string().regex(/^\d\d:\d\d(:\d\d)?Z?$/, 'must be a time in UTC, such as 16:30:00Z');

const constraint = z.object({
  start_date: z.iso.date().optional(),
  start_time: timeOfDay.optional(),
  end_time: timeOfDay.optional(),
});

const conditionalPrices = z
  .array(z.object({ constraint: constraint.nullish(), prices: genaiPrices }))
  .min(1, 'must have a price');
type ConditionalPrices = z.output<typeof conditionalPrices>;

interface GenaiMatch {
  equals?: string | undefined;
  or?: GenaiMatch[] | undefined;
}

const match: z.ZodType<GenaiMatch> = z.object({
  equals: z.string().optional(),
  get or() {
    return z.array(match).optional();
  },
});

const genaiModel = z.object({
  id: z.string(),
  match: match.optional(),
  prices: z.union([genaiPrices, conditionalPrices]),
});

/** The providers, with no more of them than is read here. */
export const genaiProvidersSchema = z.array(z.object({ id: z.string(), models: z.array(genaiModel) }));
export type GenaiProvider = z.output<typeof genaiProvidersSchema>[number];

/** Their names of the prices of tokens, the first that is there counts. */
const TOKEN_PRICES = {
  input: ['input_mtok'],
  output: ['output_mtok'],
  cached_input: ['cache_read_mtok'],
  cache_write: ['cache_write_mtok', 'cache_write_5m_mtok'],
  cache_write_1h: ['cache_write_1h_mtok'],
  input_audio: ['input_audio_mtok'],
  cached_input_audio: ['cache_audio_read_mtok'],
  output_audio: ['output_audio_mtok'],
  input_image: ['input_image_mtok'],
  cached_input_image: ['cache_image_read_mtok'],
  output_image: ['output_image_mtok'],
  output_reasoning: ['output_reasoning_mtok'],
} as const satisfies Partial<Record<keyof CallPrices, readonly string[]>>;

/** Makers of models before those that resell them under the same names; the rest follows in the order of the data. */
const MAKERS = [
  'openai',
  'anthropic',
  'google',
  'mistral',
  'deepseek',
  'x-ai',
  'cohere',
  'moonshotai',
  'perplexity',
  'groq',
];

/**
 * The prices of all models by the names that they have exactly.
 * @param adapt gives the price of a provider's model what the data does not have.
 */
export function pricesOfProviders(
  providers: readonly GenaiProvider[],
  now: Date,
  adapt: (provider: string, model: string, price: ModelPrice) => ModelPrice,
): Record<string, ModelPrice> {
  const prices = new Map<string, ModelPrice>();
  const rank = ({ id }: GenaiProvider): number => (MAKERS.includes(id) ? MAKERS.indexOf(id) : MAKERS.length);
  for (const provider of providers.toSorted((a, b) => rank(a) - rank(b))) {
    const add = (name: string, price: ModelPrice | undefined): void => {
      if (price && !prices.has(name)) prices.set(name, adapt(provider.id, name, price));
    };
    for (const model of provider.models) add(model.id, toModelPrice(model.prices, now));
    for (const model of provider.models) {
      for (const name of equalNames(model.match)) add(name, toModelPrice(model.prices, now));
    }
  }
  return Object.fromEntries(prices);
}

const equalNames = (found: GenaiMatch | undefined): string[] =>
  found?.equals === undefined ? (found?.or ?? []).flatMap(equalNames) : [found.equals];

/**
 * A model's prices from now on; those that have ended are left out.
 * @returns undefined for a model that is not sold by the token.
 */
export function toModelPrice(all: GenaiPrices | ConditionalPrices, now: Date): ModelPrice | undefined {
  if (!Array.isArray(all)) return toCallPrices(all);
  const today = now.toISOString().slice(0, 10);
  const current = all.findLastIndex((entry) => !isOfHours(entry) && (entry.constraint?.start_date ?? '') <= today);
  const base = all[Math.max(current, 0)];
  const prices = base && toCallPrices(base.prices);
  if (!prices) return undefined;
  const times = all.slice(current + 1).flatMap((entry): TimedPrices[] => {
    const timed = toCallPrices(entry.prices);
    if (!timed || entry === base) return [];
    const { start_date: since, start_time: from, end_time: until } = entry.constraint ?? {};
    const hours = from !== undefined && until !== undefined && { from: from.slice(0, 5), until: until.slice(0, 5) };
    return [{ ...(since !== undefined && { since }), ...hours, prices: timed }];
  });
  return times.length === 0 ? prices : { ...prices, times };
}

const isOfHours = ({ constraint: when }: ConditionalPrices[number]): boolean => when?.start_time !== undefined;

function toCallPrices(prices: GenaiPrices): CallPrices | undefined {
  const own: Partial<Record<keyof typeof TOKEN_PRICES, Price>> = {};
  for (const [name, theirs] of Object.entries(TOKEN_PRICES)) {
    const price = theirs.map((key) => prices[key]).find((found) => found !== undefined && found !== null);
    if (price !== undefined && price !== null) own[name as keyof typeof TOKEN_PRICES] = toPrice(price);
  }
  const { input, output, ...parts } = own;
  if (input === undefined && output === undefined) return undefined;
  const [search, request] = [prices['web_searches_kcount'], prices['requests_kcount']];
  return {
    input: input ?? 0,
    output: output ?? 0,
    ...parts,
    ...(typeof search === 'number' && { web_search_per_thousand: search }),
    ...(typeof request === 'number' && { request_per_thousand: request }),
  };
}

const toPrice = (price: z.output<typeof genaiPrice>): Price =>
  typeof price === 'number' || price.tiers.length === 0
    ? basePrice(price)
    : { base: price.base, tiers: price.tiers.map(({ start, price: dearer }) => ({ above: start, price: dearer })) };

const basePrice = (price: z.output<typeof genaiPrice>): number => (typeof price === 'number' ? price : price.base);

/** Prices of service tiers, which the data does not have: of the models of a provider whose whole name the pattern is. */
export interface TierRule {
  provider: string;
  models: string;
  /** The page of the provider that says so. */
  source: string;
  tiers: Readonly<Record<string, number | TierPrices>>;
  /** Parts that cost the same in these tiers, whatever their factor. */
  unchanged?: readonly (keyof TokenPrices)[];
}

/** Adds to a price what the rules say of its model; of two that say something of one tier the later counts. */
export function addServiceTiers(rules: readonly TierRule[]) {
  const patterns = rules.map((rule) => ({ rule, models: new RegExp(`^(?:${rule.models})$`) }));
  return (provider: string, model: string, price: ModelPrice): ModelPrice => {
    const found = patterns.filter(({ rule, models }) => rule.provider === provider && models.test(model));
    const tiers = found.flatMap(({ rule }) => tiersOf(rule, price));
    return tiers.length === 0 ? price : { ...price, service_tiers: Object.fromEntries(tiers) };
  };
}

const tiersOf = ({ tiers, unchanged = [] }: TierRule, price: ModelPrice): [string, number | TierPrices][] =>
  Object.entries(tiers).map(([name, tier]) => {
    const kept = unchanged.flatMap((part) => (price[part] === undefined ? [] : [[part, price[part]] as const]));
    return [name, kept.length === 0 || typeof tier !== 'number' ? tier : { factor: tier, ...Object.fromEntries(kept) }];
  });
