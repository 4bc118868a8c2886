/**
 * The test functions a contract suite is written with; those of Jest, Vitest, Mocha and `node:test` fit. They are handed
 * in, and the suites assert with `node:assert`, so that a plugin author is free in the choice of a test runner.
 */
export interface TestFunctions {
  describe(name: string, define: () => void): unknown;
  it(name: string, test: () => void | Promise<void>): unknown;
}

/** Freezes a value through and through, so that a plugin that changes what it is given is found out. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}
