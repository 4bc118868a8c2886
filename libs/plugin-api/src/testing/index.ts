export {
  describeDialectContract,
  isClaimed,
  recordedSpans,
  plainReading,
  type DialectContract,
  type DialectFixture,
  type ExpectedReading,
} from './dialect-contract.js';
export { describeProviderContract } from './provider-contract.js';
export * from './fixtures.js';
export { describeMaskerContract, type MaskerContract, type MaskerFixture } from './masker-contract.js';
export { otelSpan, otelValue, type PlainSpan } from './otel-span.js';
export { readEverything } from './read-everything.js';
export { describeReadStoreContract, type ReadStoreContract } from './read-store-contract.js';
export { MemoryReadStore } from './memory-read-store.js';
export { describeScorerContract, type ScoreFixture, type ScorerContract } from './scorer-contract.js';
export { describeSearchIndexContract, type SearchIndexContract } from './search-index-contract.js';
export { setUpPlugin, type ConfigFixtures, type TestFunctions } from './set-up-plugin.js';
