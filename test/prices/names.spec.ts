/** Names of models that SDKs list, and which of them have no price (docs/spec/recording.md#price). */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, it } from '@jest/globals';
import { findPrice, loadPricing } from '@spandrel/tracing';

const readData = <Data>(name: string): Data => JSON.parse(readFileSync(`config/pricing/${name}`, 'utf8')) as Data;
const listed = readData<Record<string, { names: string[] }>>('names.json');
const unpriced = readData<Record<string, string>>('unpriced.json');
const { sdkModelNames } = (await import(resolve('scripts/sdk-model-names.mjs'))) as {
  sdkModelNames: () => Record<string, string[]>;
};

it('has a price, or a reason why there is none, for each name that SDKs’ types and providers’ documents list', () => {
  const table = loadPricing();
  const names = [...Object.values(sdkModelNames()), ...Object.values(listed).map(({ names: of }) => of)].flat();
  expect(names.length).toBeGreaterThan(200);
  const missing = [...new Set(names)].filter((name) => !findPrice(table, name)).toSorted();
  expect(missing).toEqual(Object.keys(unpriced).toSorted());
  for (const reason of Object.values(unpriced)) expect(reason).not.toBe('');
});
