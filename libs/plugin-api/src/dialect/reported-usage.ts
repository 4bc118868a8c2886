import type { ReadUsage } from './dialect.js';

/** The usage where it reports tokens or a cost, so that otherwise the next dialect is asked. */
export function reportedUsage(usage: ReadUsage): ReadUsage | undefined {
  const { inputTokens, outputTokens, cost } = usage;
  return inputTokens === undefined && outputTokens === undefined && cost === undefined ? undefined : usage;
}
