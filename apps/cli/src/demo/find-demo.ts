import { setTimeout as pause } from 'node:timers/promises';
import { EVAL_TAG } from '@spandrel/contract';
import { StartError } from '@spandrel/kernel/launch';
import { SpandrelError, type Api, type ItemOf, type resources } from '@spandrel/sdk';
import { DEMO_MARKS } from './demo-settings.js';

/** Says that the demo is not complete; the last step of all replaces it. */
export const HALF_MADE = 'Being made by spandrel demo.';

const DATASET = { id: DEMO_MARKS.datasetId };

type Trace = ItemOf<'listTraces'>;
type Connection = ItemOf<'listConnections'>;

export interface FoundDemo {
  /** With the traces of the items of its runs. */
  traces: Trace[];
  dataset: resources.Dataset | undefined;
  connections: Connection[];
  /** `half`: an earlier command was interrupted, or somebody deleted a part. */
  state: 'none' | 'half' | 'whole';
}

export async function findDemo(api: Api): Promise<FoundDemo> {
  const listTagged = (tag: string): Promise<Trace[]> =>
    collect(api.pages('listTraces', { query: { limit: 1_000, tag: [tag] } }));
  const recorded = (await listTagged(DEMO_MARKS.tag)).filter(({ id }) => id.startsWith(DEMO_MARKS.traceIdPrefix));
  const ofRuns = (await listTagged(EVAL_TAG)).filter(({ metadata }) => metadata['dataset_id'] === DATASET.id);
  const traces = [...recorded, ...ofRuns];
  const dataset = await unlessMissing(api.getDataset({ path: DATASET }));
  const connections = await findConnections(api);
  const isEmpty = traces.length === 0 && !dataset && connections.length === 0;
  const isWhole = recorded.length > 0 && dataset && dataset.description !== HALF_MADE && connections.length > 0;
  return { traces, dataset, connections, state: isEmpty ? 'none' : isWhole ? 'whole' : 'half' };
}

async function findConnections(api: Api): Promise<Connection[]> {
  const connections = await collect(api.pages('listConnections', { query: { limit: 1_000 } }));
  return connections.filter(({ base_url: base }) => URL.parse(base ?? '')?.pathname === `${DEMO_MARKS.modelPath}/v1`);
}

/** Removes all that there is of the demo; the dataset takes its capture rule, datapoints, runs and queue items along. */
export async function removeDemo(api: Api): Promise<FoundDemo> {
  // A run that goes on would write traces behind the removal. One that was interrupted ends soon: its model is gone.
  await poll(async () => {
    const page = await unlessMissing(api.listEvals({ path: DATASET }));
    return page?.runs.some(({ ended_at: endedAt }) => endedAt === null) ? undefined : true;
  }, 'an eval run over the demo dataset is still running. Wait for it to end, or cancel it: POST /api/eval/:run_id/cancel');
  const found = await findDemo(api);
  if (found.dataset) await unlessMissing(api.deleteDataset({ path: DATASET }));
  for (const { id } of found.connections) await unlessMissing(api.deleteConnection({ path: { id } }));
  for (const { id } of found.traces) await unlessMissing(api.deleteTrace({ path: { id } }));
  return found;
}

/** @returns the answer; `undefined` where there is nothing by that id. */
async function unlessMissing<Answer>(call: Promise<Answer>): Promise<Answer | undefined> {
  return call.catch((error: unknown) => {
    if (error instanceof SpandrelError && error.status === 404) return undefined;
    throw error;
  });
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collected: Item[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

const BETWEEN_LOOKS_MS = 50;
/** What takes a second on a quiet machine may take long on a busy one. */
const PATIENCE_MS = 60_000;

/** @param look answers `undefined` while there is nothing to see. @throws StartError with the fault after a minute. */
export async function poll<Found>(look: () => Promise<Found | undefined>, fault: string): Promise<Found> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (performance.now() > deadline) throw new StartError([fault]);
    await pause(BETWEEN_LOOKS_MS);
  }
}
