/** The test functions of a contract suite: those of Jest, Vitest, Mocha or `node:test`, as an author likes. */
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
