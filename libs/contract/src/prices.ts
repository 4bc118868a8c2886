import { z } from 'zod';
import { cursorSchema, listAnswer, paging } from './lists.js';
import { amountSchema, countSchema } from './values/numbers.js';
import { jsonMapSchema, keySchema } from './values/text.js';
import { timestampSchema } from './values/timestamp.js';

/** `GET /api/prices` (docs/spec/prices.md#the-prices-in-force). */
export const listPricesSchema = z.object({
  model: keySchema
    .optional()
    .describe('The price of this model alone; where it has none, those of the models with names near to it.'),
  ...paging(),
});
export type ListPrices = z.output<typeof listPricesSchema>;

const listedPriceSchema = z
  .object({
    model: z.string(),
    source: z
      .string()
      .describe('Where the price comes from: the built-in table, a file, a plugin or the configuration.'),
    price: jsonMapSchema.describe('The price in the form of `pricing.models`: dollars per million tokens.'),
  })
  .meta({ id: 'ListedPrice' });
export type ListedPrice = z.output<typeof listedPriceSchema>;

export const priceListSchema = listAnswer('PriceList', 'prices', listedPriceSchema);
export type PriceList = z.output<typeof priceListSchema>;

/** `POST /api/prices/apply` (docs/spec/prices.md#applying-prices). */
export const applyPricesSchema = z
  .object({
    since: timestampSchema.nullish().describe('Spans that started then or later.'),
    model: keySchema.nullish().describe('Spans of this model alone.'),
    unpriced: z.boolean().nullish().describe('Spans with tokens and without a cost alone.'),
    dry_run: z.boolean().nullish().describe('Says what would change, and changes nothing.'),
    cursor: cursorSchema.nullish(),
  })
  .meta({ id: 'ApplyPrices' });
export type ApplyPrices = z.output<typeof applyPricesSchema>;

export const appliedPricesSchema = z
  .object({
    examined: countSchema.describe('Finished spans of a model that were looked at in this answer.'),
    changed: countSchema.describe('Those that have another cost now.'),
    unchanged: countSchema,
    reported: countSchema.describe(
      'Those that stay as they are because their sender or provider reported what they cost.',
    ),
    before: amountSchema.describe('Dollars that the changed and the unchanged ones cost before.'),
    after: amountSchema.describe('Dollars that they cost now.'),
    next_cursor: z.string().nullable().describe('What `cursor` takes to go on; `null` at the end.'),
  })
  .meta({ id: 'AppliedPrices' });
export type AppliedPrices = z.output<typeof appliedPricesSchema>;
