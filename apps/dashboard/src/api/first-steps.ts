import { call } from './call.js';

/** What somebody new makes one after the other, and whether any is there. */
export const FIRST_STEPS = {
  datasets: (signal: AbortSignal) => hasAny('/api/datasets', 'datasets', signal),
  connections: (signal: AbortSignal) => hasAny('/api/provider-connections', 'connections', signal),
  runs: (signal: AbortSignal) => hasAny('/api/eval', 'runs', signal),
  /** A review that was submitted. */
  queue: async (signal: AbortSignal): Promise<boolean> => {
    const { datasets } = await call<{ datasets: { completed: number }[] }>('/api/count/queue', { signal });
    return datasets.some(({ completed }) => completed > 0);
  },
} as const;

async function hasAny(path: string, member: string, signal: AbortSignal): Promise<boolean> {
  const answer = await call<Record<string, unknown[]>>(path, { query: { limit: 1 }, signal });
  return answer[member]!.length > 0;
}
