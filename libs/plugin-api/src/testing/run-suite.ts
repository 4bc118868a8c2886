import type { TestFunctions } from './test-functions.js';

/** Runs a suite by itself, to see which of its tests fail. @returns names of the failed tests. */
export async function failuresOf(define: (test: TestFunctions) => void): Promise<string[]> {
  const tests: [string, () => void | Promise<void>][] = [];
  define({ describe: (_name, body) => body(), it: (name, body) => void tests.push([name, body]) });
  const failed = await Promise.all(
    tests.map(async ([name, body]) => {
      try {
        await body();
        return [];
      } catch {
        return [name];
      }
    }),
  );
  return failed.flat();
}
