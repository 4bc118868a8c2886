/**
 * The test functions a contract suite is written with; those of Jest, Vitest, Mocha and `node:test` fit. They are handed
 * in, and the suites assert with `node:assert`, so that a plugin author is free in the choice of a test runner.
 */
export interface TestFunctions {
  describe(name: string, define: () => void): unknown;
  it(name: string, test: () => void | Promise<void>): unknown;
}
