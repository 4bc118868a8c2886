import type { CostPart } from '@spandrel/contract';
import type { CallPrices, ModelPrice, Price, TimedPrices, TokenPrices, TierPrices, Usage } from '@spandrel/plugin-api';

/** What a call used, as far as it has a price; what is `null` or absent is unknown. */
export type PricedUsage = Partial<Omit<Usage, 'cost'>>;

/** The cost of a call, with all that it is made of. */
export interface CallCost {
  /** In dollars. */
  total: number;
  /** The parts that were used, in the order of `COST_PARTS`. */
  parts: CostPart[];
}

type CostPartName = CostPart['part'];

const PER_TOKEN = 1_000_000;
const PER_CALL = 1_000;

/**
 * What a call costs, part by part (docs/spec/recording.md#price). A single known count counts alone; a part is never more
 * than what it is a part of.
 * @param at when the call began, in milliseconds since the epoch.
 * @returns `null` when neither input nor output tokens are known, or when the model has made pictures, which cost many
 * times what texts do, and its price has none for any.
 */
export function costParts(price: ModelPrice, usage: PricedUsage, at: number): CallCost | null {
  const input = usage.inputTokens ?? null;
  const output = usage.outputTokens ?? null;
  if (input === null && output === null) return null;
  const current = pricesAtTime(price, at);
  const prices = pricesOfTier(current, price.service_tiers, usage.serviceTier);
  const hasPictures = prices.output_image !== undefined || prices.input_image !== undefined;
  if (usage.outputImageTokens && !hasPictures) return null;
  const tokens = [...inputParts(prices, usage, input ?? 0), ...outputParts(prices, usage, output ?? 0)];
  const calls: [CostPartName, number, number | undefined][] = [
    ['web_search', usage.webSearchRequests ?? 0, current.web_search_per_thousand],
    ['request', 1, current.request_per_thousand],
  ];
  const parts = [
    ...tokens.map(([part, quantity, own]) => costPart(part, quantity, priceAt(own, input ?? 0), PER_TOKEN)),
    ...calls.map(([part, quantity, own]) => costPart(part, own === undefined ? 0 : quantity, own ?? 0, PER_CALL)),
  ].filter(({ quantity }) => quantity > 0);
  return { total: dollarsOf(...parts), parts };
}

type TokenPart = [part: CostPartName, quantity: number, price: Price];

/** Tokens by what they stand for. */
interface Media {
  text: number;
  audio: number;
  image: number;
}

function inputParts(prices: TokenPrices, usage: PricedUsage, input: number): TokenPart[] {
  const audio = prices.input_audio === undefined ? 0 : partOf(input, usage.inputAudioTokens);
  const image = prices.input_image === undefined ? 0 : partOf(input - audio, usage.inputImageTokens);
  const left = { text: input - audio - image, audio, image };
  const cached = partOf(input, usage.cachedInputTokens);
  const hit = takeTokens(left, cached, usage);
  const written = partOf(input - cached, Math.max(usage.cacheWriteTokens ?? 0, usage.cacheWrite1hTokens ?? 0));
  const forHour = partOf(written, usage.cacheWrite1hTokens);
  takeTokens(left, written);
  const cachedText = prices.cached_input ?? prices.input;
  const write = prices.cache_write ?? prices.input;
  const audioPrice = prices.input_audio ?? prices.input;
  const imagePrice = prices.input_image ?? prices.input;
  return [
    ['input', left.text, prices.input],
    ['cached', hit.text, cachedText],
    ['cache_write', written - forHour, write],
    ['cache_write_1h', forHour, prices.cache_write_1h ?? write],
    ['input_audio', left.audio, audioPrice],
    ['cached_audio', hit.audio, prices.cached_input_audio ?? prices.cached_input ?? audioPrice],
    ['input_image', left.image, imagePrice],
    ['cached_image', hit.image, prices.cached_input_image ?? prices.cached_input ?? imagePrice],
  ];
}

function outputParts(prices: TokenPrices, usage: PricedUsage, output: number): TokenPart[] {
  const { output_audio: audioPrice, output_image: imagePrice, output_reasoning: reasoningPrice } = prices;
  const audio = audioPrice === undefined ? 0 : partOf(output, usage.outputAudioTokens);
  const image = imagePrice === undefined ? 0 : partOf(output - audio, usage.outputImageTokens);
  const reasoning = reasoningPrice === undefined ? 0 : partOf(output - audio - image, usage.reasoningTokens);
  return [
    ['output', output - audio - image - reasoning, prices.output],
    ['reasoning', reasoning, reasoningPrice ?? prices.output],
    ['output_audio', audio, audioPrice ?? prices.output],
    ['output_image', image, imagePrice ?? prices.output],
  ];
}

const partOf = (whole: number, part: number | null | undefined): number => Math.min(part ?? 0, whole);

/**
 * Takes tokens out of `left`: those that are known to be audio or images, then text, as providers seldom say what a cache had.
 * @returns what was taken.
 */
function takeTokens(left: Media, count: number, known: PricedUsage = {}): Media {
  const knownAudio = partOf(Math.min(left.audio, count), known.cachedAudioTokens);
  const knownImage = partOf(Math.min(left.image, count - knownAudio), known.cachedImageTokens);
  const text = Math.min(left.text, count - knownAudio - knownImage);
  const audio = Math.min(left.audio, count - text - knownImage);
  const image = Math.min(left.image, count - text - audio);
  left.text -= text;
  left.audio -= audio;
  left.image -= image;
  return { text, audio, image };
}

/** The prices of the last times that hold, else those beside all times. */
function pricesAtTime(price: ModelPrice, at: number): CallPrices {
  const { times, service_tiers: _tiers, source: _source, ...prices } = price;
  return times?.findLast((time) => holds(time, at))?.prices ?? prices;
}

function holds({ since, days, from, until }: TimedPrices, at: number): boolean {
  const time = new Date(at).toISOString();
  if (days !== undefined && !days.includes(new Date(at).getUTCDay())) return false;
  if (since !== undefined && time.slice(0, since.length) < since) return false;
  if (from === undefined || until === undefined) return true;
  const hour = time.slice(11, 16);
  return from <= until ? hour >= from && hour < until : hour >= from || hour < until;
}

/** Prefixes that Google's names of tiers have. */
const TIER_PREFIX = /^(?:service_tier_|on_demand_)/;

/** The prices of a service tier, of several with `+` between them one after the other; one without prices of its own has the standard ones. */
function pricesOfTier(
  prices: TokenPrices,
  tiers: ModelPrice['service_tiers'] = {},
  names: string | null | undefined,
): TokenPrices {
  return (names?.toLowerCase().split('+') ?? [])
    .map((name) => name.replace(TIER_PREFIX, ''))
    .filter((name) => Object.hasOwn(tiers, name))
    .reduce((before, name) => scalePrices(before, tiers[name]!), prices);
}

function scalePrices(prices: TokenPrices, tier: number | TierPrices): TokenPrices {
  const { factor = 1, ...own } = typeof tier === 'number' ? { factor: tier } : tier;
  const scaled = Object.entries(prices).map(([part, price]: [string, Price | undefined]) => [
    part,
    price === undefined ? undefined : scalePrice(price, factor),
  ]);
  return Object.assign({}, prices, Object.fromEntries(scaled), own);
}

const scalePrice = (price: Price, factor: number): Price =>
  typeof price === 'number'
    ? toTrillionth(price * factor)
    : {
        base: toTrillionth(price.base * factor),
        tiers: price.tiers.map((tier) => ({ above: tier.above, price: toTrillionth(tier.price * factor) })),
      };

/** The price at a number of input tokens: all tokens of a call have that of the highest tier which it is above. */
function priceAt(price: Price, inputTokens: number): number {
  if (typeof price === 'number') return price;
  const tiers = price.tiers.filter(({ above }) => inputTokens > above);
  return tiers.toSorted((a, b) => b.above - a.above)[0]?.price ?? price.base;
}

function costPart(part: CostPartName, quantity: number, unitPrice: number, per: number): CostPart {
  return {
    part,
    quantity,
    unit_price: unitPrice,
    per,
    cost: dollarsOf({ quantity, unit_price: unitPrice, per }),
  };
}

/** Added up in millionths of a dollar, which are exact for most prices. */
const dollarsOf = (...parts: Pick<CostPart, 'quantity' | 'unit_price' | 'per'>[]): number =>
  rounded(parts.reduce((sum, { quantity, unit_price, per }) => sum + quantity * unit_price * (PER_TOKEN / per), 0));

const toTrillionth = (dollars: number): number => rounded(dollars * PER_TOKEN);

/** Dollars, rounded to a trillionth of one, below any price, so that no binary fraction shows. @param micros millionths of dollars. */
function rounded(micros: number): number {
  const pico = Math.round(micros * 1e6);
  return Number.isSafeInteger(pico) ? pico / 1e12 : micros / 1e6;
}
