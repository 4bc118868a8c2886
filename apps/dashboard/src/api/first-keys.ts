/** Keys of the query cache (`keys.ts`) that the page needs which is fetched first. */
export const firstKeys = {
  capabilities: () => ['capabilities'] as const,
  traces: () => ['traces'] as const,
  tracesOverTime: (filters: object) => ['traces', 'over-time', filters] as const,
  queueCounts: () => ['queue', 'counts'] as const,
};
