/** Injection token of the process's metrics: a `Registry` of @prometheus-io/client, which `/metrics` shows. */
export const METRICS = Symbol('metrics');
