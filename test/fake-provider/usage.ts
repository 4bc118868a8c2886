/** Tokens every answer of the fake provider reports: constant, so that tests can expect them. */
export const FAKE_USAGE = { input: 11, output: 7, cached: 4, cacheWritten: 2, reasoning: 3 };
