/**
 * The order of test files: those that take or wait longest first, so that no worker is left with one of them at the end.
 * Jest learns times only by its cache, which a fresh clone has not.
 */
const { default: Sequencer } = require('@jest/test-sequencer');

const LONGEST = [
  'dashboard/journeys',
  'reliability/log',
  'evals/runs',
  'mcp/tools',
  'storage/postgres-locks',
  'cli/eval',
  'storage/sqlite',
  'full-loop',
  'events/slow-clients',
  'reliability/bad-input',
  'reliability/transfer',
  'search/search',
  'dashboard/cloud',
  'dashboard/security',
  'dashboard/identity',
  'otlp/any-order',
  'otlp/instrumentations',
  'otlp/kill',
  'otlp/bombs',
  'transfer/transfer',
  'datasets',
  'storage/queue',
  'tracing-http',
  'gateway/resets',
  'capture-rules',
  'reliability/overload',
  'command',
  'first-hour',
  'demo',
  'connections.e2e',
  'contributing',
  'access/removal',
  'start.e2e',
  'reliability/',
  'cloud/',
  'openapi/',
  'storage/postgres-limits',
  'search/',
  'gateway/pass-through',
  'events/',
  'evals/',
  'storage/postgres.e2e',
  'kill-server',
  'clients',
  'readme',
  'tracing/',
  'analytics/',
  'gateway/idle-close',
  'gateway/kill',
  'plugins',
  'storage/sqlite',
  'deploy/images',
  'otlp/',
  'operations/',
];

const rankOf = ({ path }) => {
  const index = LONGEST.findIndex((part) => path.includes(`/test/${part}`));
  return index === -1 ? LONGEST.length : index;
};

module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    return [...tests].sort((a, b) => rankOf(a) - rankOf(b) || (a.path < b.path ? -1 : 1));
  }
};
