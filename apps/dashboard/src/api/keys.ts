import { firstKeys } from './first-keys.js';

/** Keys of the query cache. What begins with the same words is invalidated together. */
export const keys = {
  ...firstKeys,
  sessionProjects: () => ['session-projects'] as const,
  facets: (of: string, prefix: string) => ['facets', of, prefix] as const,
  analytics: (search: object, more: object) => ['analytics', search, more] as const,
  session: (id: string) => ['session', id] as const,
  spanCost: (id: string, cost: number | null) => ['span', id, 'cost', cost] as const,
  spanCount: (filters: object) => ['spans', 'count', filters] as const,
  queueItem: (id: string) => ['queue', 'item', id] as const,
  completedItems: (datasetId: string, reviewer: string | null) => ['queue', 'completed', datasetId, reviewer] as const,
  datasets: () => ['datasets'] as const,
  dataset: (id: string) => ['dataset', id] as const,
  withoutExpected: (id: string) => ['dataset', id, 'without-expected'] as const,
  datapointSizes: (datasetId: string) => ['dataset', datasetId, 'sizes'] as const,
  prices: (models: readonly string[]) => ['prices', models] as const,
  datapoint: (datasetId: string, id: string) => ['dataset', datasetId, 'datapoint', id] as const,
  sourceSpan: (id: string) => ['spans', 'source', id] as const,
  captureRules: (datasetId: string) => ['dataset', datasetId, 'rules'] as const,
  capturePreview: (datasetId: string, rule: object) => ['dataset', datasetId, 'preview', rule] as const,
  firstStep: (kind: 'traces' | 'datasets' | 'connections' | 'runs' | 'queue') => [kind, 'any'] as const,
  connections: () => ['connections', 'all'] as const,
  connectionTest: (id: string) => ['connections', 'test', id] as const,
  runsOf: (datasetId: string) => ['runs', 'of', datasetId] as const,
  latestRuns: (datasetId: string) => ['runs', 'latest', datasetId] as const,
  run: (id: string) => ['run', id] as const,
  runItem: (id: string, datapointId: string) => ['run', id, 'item', datapointId] as const,
  runMetadata: (id: string) => ['run-metadata', id] as const,
  statistics: (id: string, baseline: string | null, ...how: readonly unknown[]) =>
    ['statistics', id, baseline, ...how] as const,
  trace: (id: string) => ['trace', id] as const,
};
