import { z } from 'zod';

/** What a model costs: dollars per million tokens, in the form of config `pricing.models`. */
export interface ModelPrice {
  input: number;
  output: number;
  /** Price of the input tokens that came from the provider's cache; absent: that of the others. */
  cached_input?: number | undefined;
}

const price = z.number().min(0);

export const modelPriceSchema: z.ZodType<ModelPrice> = z.strictObject({
  input: price,
  output: price,
  cached_input: price.optional(),
});
