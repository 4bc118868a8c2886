export {
  describeDialectContract,
  isClaimed,
  plainReading,
  type DialectContract,
  type DialectFixture,
  type ExpectedReading,
} from './dialect-contract.js';
export { fixturesIn, type CallFiles, type FixtureFolder } from './fixtures.js';
export { framesOf } from './frames.js';
export { describeProviderContract } from './provider-contract.js';
export * from './provider-fixtures.js';
export { describeMaskerContract, type MaskerContract, type MaskerFixture } from './masker-contract.js';
export { otelSpan, otelValue, type PlainSpan } from './otel-span.js';
export { recordedSpans } from './recorded-spans.js';
export { readEverything } from './read-everything.js';
export { describeScorerContract, type ScoreFixture, type ScorerContract } from './scorer-contract.js';
export { describeSearchIndexContract, type SearchIndexContract } from './search-index-contract.js';
export { setUpPlugin, type ConfigFixtures } from './set-up-plugin.js';
export type { TestFunctions } from './test-functions.js';
