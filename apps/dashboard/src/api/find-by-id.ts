import { isNotFound } from './api-error.js';
import { call } from './call.js';
import { readDataset } from './dataset.js';
import { readRun } from './evals.js';
import { tracesByIds } from './traces.js';

/** What an id leads to. */
export type Found =
  | { kind: 'trace'; traceId: string }
  | { kind: 'span'; traceId: string; spanId: string }
  | { kind: 'dataset'; datasetId: string }
  | { kind: 'run'; runId: string };

/** Finds what an id belongs to: a trace, a span, a dataset or a run. @returns `null` where it is none of them. */
export async function findById(id: string): Promise<Found | null> {
  return (await findRecorded(id)) ?? (await findDataset(id)) ?? (await findRun(id));
}

async function findRecorded(id: string): Promise<Found | null> {
  const [trace] = await tracesByIds([id]);
  if (trace !== undefined) return { kind: 'trace', traceId: trace.id };
  const { spans } = await call<{ spans: { id: string; trace_id: string }[] }>('/api/spans', {
    query: { ids: [id], view: 'outline', limit: 1 },
  });
  const [span] = spans;
  return span === undefined ? null : { kind: 'span', traceId: span.trace_id, spanId: span.id };
}

async function findDataset(id: string): Promise<Found | null> {
  const dataset = await unlessMissing(readDataset(id));
  return dataset === null ? null : { kind: 'dataset', datasetId: dataset.id };
}

async function findRun(id: string): Promise<Found | null> {
  const run = await unlessMissing(readRun(id));
  return run === null ? null : { kind: 'run', runId: run.id };
}

/** @returns `null` where there is no such object. */
async function unlessMissing<Answer>(answer: Promise<Answer>): Promise<Answer | null> {
  try {
    return await answer;
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}
