/**
 * Node for tests, which tells a file's `process` when the file is through: jest gives each file a copy of `process`, on
 * which `exit` never comes. Programs that were started and folders that were made go then (at-end.ts).
 */
require('./compile-once.cjs');
const { TestEnvironment } = require('jest-environment-node');

module.exports = class extends TestEnvironment {
  async teardown() {
    this.global.process?.emit('suiteOver');
    await super.teardown();
  }
};
