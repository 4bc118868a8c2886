/**
 * Node for tests, which ends a file's `process` when the file is through: jest gives each file a copy of `process`, on
 * which `exit` never comes. Programs that were started and folders that were made go then (at-end.ts).
 */
require('./compile-once.cjs');
require('./read-once.cjs');
const { TestEnvironment } = require('jest-environment-node');

// A worker ends without freeing the memory of its contexts first: on a busy machine that takes longer than the half second after
// which jest ends it and says that tests leak.
if (process.send) process.once('exit', () => process.exit());

module.exports = class extends TestEnvironment {
  async setup() {
    await super.setup();
    // Schemas of the API are compiled once for all test files of a worker, a tenth of a second each time.
    this.global.trafficCheckOf = (document) => require('../support/traffic-check.ts').TrafficCheck.of(document);
  }

  async teardown() {
    this.global.process?.emit('suiteOver');
    await super.teardown();
  }
};
