import type { Query } from './query-text.js';

/** Keys of the query cache. What begins with the same words is invalidated together. */
export const keys = {
  capabilities: () => ['capabilities'] as const,
  traces: () => ['traces'] as const,
  tracePage: (filters: Query, cursor: string | null) => ['traces', 'page', filters, cursor] as const,
  traceCount: (filters: Query) => ['traces', 'count', filters] as const,
  trace: (id: string) => ['trace', id] as const,
};
