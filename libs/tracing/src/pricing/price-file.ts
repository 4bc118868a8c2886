import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fieldErrors } from '@spandrel/contract';
import { PACKAGE } from '@spandrel/kernel';
import { modelPriceSchema } from '@spandrel/plugin-api';
import { z } from 'zod';
import { addServiceTiers, genaiProvidersSchema, pricesOfProviders, type TierRule } from './genai-prices.js';
import type { PriceTable } from './pricing.js';

/** Faults of a file that are reported; a wrong form has one for each of its models. */
const FAULTS_MAX = 20;

/** Prices of service tiers, see {@link TierRule}. */
const TIERS_FILE = 'config/pricing/service-tiers.json';

/** The form of config/pricing/models.json. */
const tableSchema = z.object({
  source: z.string().min(1).optional(),
  models: z.record(z.string().min(1), modelPriceSchema),
});

/**
 * Reads a table of prices (docs/spec/recording.md#price-file): `{ "models": { NAME: prices } }` as config/pricing/models.json
 * has them, or the list of providers that is the data file of `@pydantic/genai-prices`.
 * @param source who says so of prices that do not say themselves.
 * @returns the table, or each fault as a sentence with the place of the value.
 */
export function readPrices(text: string, source: string): { table: PriceTable } | { faults: string[] } {
  let json: unknown;
  try {
    json = JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch (error) {
    return { faults: [`is not JSON: ${(error as Error).message}`] };
  }
  if (Array.isArray(json)) {
    const providers = genaiProvidersSchema.safeParse(json);
    if (!providers.success) return { faults: faultsOf(providers.error) };
    const models = pricesOfProviders(providers.data, new Date(), addServiceTiers(serviceTiers()));
    return { table: { source, models } };
  }
  const table = tableSchema.safeParse(json);
  if (!table.success) return { faults: faultsOf(table.error) };
  return { table: { source: table.data.source ?? source, models: table.data.models } };
}

function faultsOf(error: z.ZodError): string[] {
  const faults = fieldErrors(error).map(({ path, message }) => (path === '' ? message : `${path}: ${message}`));
  const more = faults.length - FAULTS_MAX;
  return more > 0 ? [...faults.slice(0, FAULTS_MAX), `and ${more} more`] : faults;
}

const serviceTiers = (): TierRule[] => JSON.parse(readFileSync(join(PACKAGE.root, TIERS_FILE), 'utf8')) as TierRule[];
