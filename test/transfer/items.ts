/** Items of exports as they are written by hand. */
const START = '2026-01-02T03:04:05.006Z';
export const END = '2026-01-02T03:04:06.006Z';
export const trace = (id: string, members: object = {}) => ({ id, name: `trace ${id}`, started_at: START, ...members });
export const span = (id: string, members: object = {}) => ({
  ...{ id, trace_id: 't', name: `span ${id}`, status: 'completed', started_at: START, ended_at: END },
  ...members,
});
export const dataset = (id: string, members: object = {}) => ({
  ...{ id, name: `set ${id}`, description: null, datapoint_count: 1, version: 4, created_at: START, updated_at: END },
  ...members,
});
export const datapoint = (id: string, members: object = {}) => ({
  ...{ id, dataset_id: 'd', kind: { Generic: { input: id } }, source: 'manual', source_span_id: null },
  ...{ created_at: START, updated_at: END },
  ...members,
});
export const whole = {
  version: 1,
  traces: [trace('t')],
  spans: [span('a'), span('b')],
  datasets: [dataset('d')],
  datapoints: [datapoint('p')],
};
/** Counts of an import of nothing. */
export const NONE = {
  ...{ traces: 0, spans: 0, datasets: 0, datapoints: 0, datapoint_versions: 0, capture_rules: 0 },
  ...{ connections: 0, eval_runs: 0, eval_results: 0, eval_samples: 0, eval_attempts: 0, queue_items: 0 },
  ...{ score_definitions: 0, scores: 0, views: 0, boards: 0, scoring_rules: 0, alert_channels: 0, alerts: 0 },
  comments: 0,
};
export const counts = (traces: number, spans: number, datasets: number, datapoints: number) => ({
  imported: { ...NONE, traces, spans, datasets, datapoints },
  rejected: [],
  rejected_count: 0,
});
