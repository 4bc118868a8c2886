/**
 * The order of test files: those that take or wait longest first, so that no worker is left with one of them at the end.
 * Jest learns times only by its cache, which a fresh clone has not.
 */
const LONGEST = [
  'full-loop',
  'kill-server',
  'tracing-http',
  'evals/runs',
  'storage/queue',
  'capture-rules',
  'datasets',
  'events/upkeep',
  'start.e2e',
  'evals/',
  'transfer/transfer',
  'cloud/',
  'connections.e2e',
  'storage/postgres.e2e',
  'events/',
  'readme',
  'search/',
  'gateway/pass-through',
  'clients',
  'openapi/',
  'storage/postgres-limits',
  'plugins',
  'reliability/',
  'storage/sqlite',
  'deploy/images',
  'operations/',
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
