/** Keys of the query cache. What begins with the same words is invalidated together. */
export const keys = {
  capabilities: () => ['capabilities'] as const,
  traces: () => ['traces'] as const,
  hasTrace: () => ['traces', 'any'] as const,
  tracesOverTime: (filters: object) => ['traces', 'over-time', filters] as const,
  facets: (of: string, prefix: string) => ['facets', of, prefix] as const,
  analytics: (search: object) => ['analytics', search] as const,
  session: (id: string) => ['session', id] as const,
  spanCount: (filters: object) => ['spans', 'count', filters] as const,
  datasets: () => ['datasets'] as const,
  hasDataset: () => ['datasets', 'any'] as const,
  connections: () => ['connections', 'all'] as const,
  connectionTest: (id: string) => ['connections', 'test', id] as const,
  run: (id: string) => ['run', id] as const,
  trace: (id: string) => ['trace', id] as const,
};
