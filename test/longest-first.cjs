/**
 * The order of test files: those that take or wait longest first, so that no worker is left with one of them at the end.
 * Jest learns times only by its cache, which a fresh clone has not.
 */
const LONGEST = [
  'full-loop',
  'events/upkeep',
  'connections.e2e',
  'cloud/two-tenants',
  'storage/queue',
  'tracing-http',
  'operations/access-log',
  'transfer/transfer',
  'cloud/rolling-restart',
  'storage/postgres.e2e',
  'storage/sqlite',
  'capture-rules',
  'datasets',
  'evals/',
  'events/',
  'deploy/images',
  'operations/backup',
  'openapi/fuzz',
  'search/',
];

const rankOf = ({ path }) => {
  const index = LONGEST.findIndex((part) => path.includes(`/test/${part}`));
  return index === -1 ? LONGEST.length : index;
};

module.exports = class LongestFirst {
  sort(tests) {
    return [...tests].sort((a, b) => rankOf(a) - rankOf(b) || (a.path < b.path ? -1 : 1));
  }

  allFailedTests(tests) {
    return tests;
  }

  shard(tests) {
    return tests;
  }

  cacheResults() {}
};
