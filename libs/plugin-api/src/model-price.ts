import { z } from 'zod';

/**
 * Dollars, or such in tiers: where a call has more input tokens than `above`, all of its tokens have the price of the
 * highest such tier, those of its output too.
 */
export type Price = number | { base: number; tiers: { above: number; price: number }[] };

/** Prices of tokens, in dollars per million. A part without a price of its own has that of what it is a part of. */
export interface TokenPrices {
  input: Price;
  output: Price;
  /** Price of the input tokens that came from the provider's cache; absent: that of the others. */
  cached_input?: Price | undefined;
  /** Price of the input tokens that were written to the provider's cache; absent: that of the others. */
  cache_write?: Price | undefined;
  /** Price of the written tokens that are kept for an hour; absent: that of the other written ones. */
  cache_write_1h?: Price | undefined;
  input_audio?: Price | undefined;
  cached_input_audio?: Price | undefined;
  output_audio?: Price | undefined;
  input_image?: Price | undefined;
  cached_input_image?: Price | undefined;
  output_image?: Price | undefined;
  output_reasoning?: Price | undefined;
}

/** Prices of tokens and of what is paid beside them. */
export interface CallPrices extends TokenPrices {
  /** Dollars per thousand web searches. */
  web_search_per_thousand?: number | undefined;
  /** Dollars per thousand calls, beside their tokens. */
  request_per_thousand?: number | undefined;
}

/** Prices of calls that begin from a date on, or in hours of the day, in UTC; `until` before `from` is past midnight. */
export interface TimedPrices {
  /** `2027-01-01`. */
  since?: string | undefined;
  /** `16:30`. */
  from?: string | undefined;
  until?: string | undefined;
  prices: CallPrices;
}

/** Prices of a service tier; those that it does not have are the standard ones times `factor`, 1 unless given. */
export type TierPrices = { [Part in keyof TokenPrices]?: Price | undefined } & { factor?: number | undefined };

/** What a model costs, in the form of config `pricing.models` (docs/spec/recording.md#price). */
export interface ModelPrice extends CallPrices {
  /** The last of those that hold for a call counts. */
  times?: TimedPrices[] | undefined;
  /** By the name of a service tier: the factor of all prices of tokens, or prices of its own. */
  service_tiers?: Readonly<Record<string, number | TierPrices>> | undefined;
  /** Who says so: a package or a page. */
  source?: string | undefined;
}

const dollars = z.number().min(0);

const price: z.ZodType<Price> = z.union(
  [
    dollars,
    z.strictObject({
      base: dollars,
      tiers: z.array(z.strictObject({ above: z.number().int().min(0), price: dollars })).min(1),
    }),
  ],
  { error: 'must be a number from 0, or { base, tiers: [{ above, price }] }' },
);

const partPrices = {
  cached_input: price.optional(),
  cache_write: price.optional(),
  cache_write_1h: price.optional(),
  input_audio: price.optional(),
  cached_input_audio: price.optional(),
  output_audio: price.optional(),
  input_image: price.optional(),
  cached_input_image: price.optional(),
  output_image: price.optional(),
  output_reasoning: price.optional(),
};

const tierPrice = z.union(
  [
    dollars,
    z.strictObject({
      factor: dollars.optional(),
      input: price.optional(),
      output: price.optional(),
      ...partPrices,
    }),
  ],
  { error: 'must be a factor from 0, or prices by part' },
);

const callPrices = {
  input: price,
  output: price,
  ...partPrices,
  web_search_per_thousand: dollars.optional(),
  request_per_thousand: dollars.optional(),
};

const hour = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be HH:MM in UTC');

const timedPrices = z
  .strictObject({
    since: z.iso.date().optional(),
    from: hour.optional(),
    until: hour.optional(),
    prices: z.strictObject(callPrices),
  })
  .refine(({ from, until }) => (from === undefined) === (until === undefined), 'needs both from and until, or neither');

export const modelPriceSchema: z.ZodType<ModelPrice> = z.strictObject({
  ...callPrices,
  times: z.array(timedPrices).optional(),
  service_tiers: z.record(z.string(), tierPrice).optional(),
  source: z.string().min(1).optional(),
});
