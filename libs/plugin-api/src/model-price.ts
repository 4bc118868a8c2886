import { z } from 'zod';

const dollars = z.number().min(0);

const price = z.union(
  [
    dollars,
    z.strictObject({
      base: dollars,
      tiers: z.array(z.strictObject({ above: z.number().int().min(0), price: dollars })).min(1),
    }),
  ],
  { error: 'must be a number from 0, or { base, tiers: [{ above, price }] }' },
);

/**
 * Dollars, or such in tiers: where a call has more input tokens than `above`, all of its tokens have the price of the
 * highest such tier, those of its output too.
 */
export type Price = z.infer<typeof price>;

const partPrices = {
  /** Price of the input tokens that came from the provider's cache; absent: that of the others. */
  cached_input: price.optional(),
  /** Price of the input tokens that were written to the provider's cache; absent: that of the others. */
  cache_write: price.optional(),
  /** Price of the written tokens that are kept for an hour; absent: that of the other written ones. */
  cache_write_1h: price.optional(),
  input_audio: price.optional(),
  cached_input_audio: price.optional(),
  output_audio: price.optional(),
  input_image: price.optional(),
  cached_input_image: price.optional(),
  output_image: price.optional(),
  output_reasoning: price.optional(),
};

const tokenPrices = z.strictObject({ input: price, output: price, ...partPrices });

/** Prices of tokens, in dollars per million. A part without a price of its own has that of what it is a part of. */
export type TokenPrices = z.infer<typeof tokenPrices>;

const tierPrices = tokenPrices.partial().extend({ factor: dollars.optional() });

/** Prices of a service tier; those that it does not have are the standard ones times `factor`, 1 unless given. */
export type TierPrices = z.infer<typeof tierPrices>;

const callPrices = tokenPrices.extend({
  /** Dollars per thousand web searches. */
  web_search_per_thousand: dollars.optional(),
  /** Dollars per thousand calls, beside their tokens. */
  request_per_thousand: dollars.optional(),
});

/** Prices of tokens and of what is paid beside them. */
export type CallPrices = z.infer<typeof callPrices>;

const hour = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be HH:MM in UTC');

const timedPrices = z
  .strictObject({
    /** `2027-01-01`. */
    since: z.iso.date().optional(),
    /** `16:30`. */
    from: hour.optional(),
    until: hour.optional(),
    /** Days of the week, 0 for Sunday. */
    days: z.array(z.int().min(0).max(6)).min(1).optional(),
    prices: callPrices,
  })
  .refine(({ from, until }) => (from === undefined) === (until === undefined), 'needs both from and until, or neither');

/**
 * Prices of calls that begin from a date on, on days of the week or in hours of the day, in UTC; `until` before `from` is past
 * midnight.
 */
export type TimedPrices = z.infer<typeof timedPrices>;

export const modelPriceSchema = callPrices.extend({
  /** The last of those that hold for a call counts. */
  times: z.array(timedPrices).optional(),
  /** By the name of a service tier: the factor of all prices of tokens, or prices of its own. */
  service_tiers: z
    .record(z.string(), z.union([dollars, tierPrices], { error: 'must be a factor from 0, or prices by part' }))
    .optional(),
  /** Who says so: a package or a page. */
  source: z.string().min(1).optional(),
});

/** What a model costs, in the form of config `pricing.models` (docs/spec/recording.md#price). */
export type ModelPrice = z.infer<typeof modelPriceSchema>;
