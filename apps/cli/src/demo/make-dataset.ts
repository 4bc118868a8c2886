import type { CaptureRuleResource, DatapointResource } from '@spandrel/contract';
import { StartError } from '@spandrel/kernel/launch';
import type { ApiClient } from './api-client.js';
import { DEMO_MARKS } from './demo-marks.js';
import { FAKE_MODELS } from './fake-model/fake-models.js';
import { poll } from './poll.js';

const PATH = `/api/datasets/${DEMO_MARKS.datasetId}`;

/** Datapoints that the demo's capture rule makes: one of every question. */
const CAPTURED = 3;

/** The questions of the file that the demo imports. */
const FILE = `input,expected_output
What is the capital of Brazil?,Brasília
What is the capital of Canada?,Ottawa
What is the capital of Japan?,Tokyo
`;

/** Says that the demo is not complete; {@link describeAsWhole} replaces it as the last step of all. */
export const HALF_MADE = 'Being made by spandrel demo.';

const WHOLE =
  "Made by spandrel demo; every answer is a fake model's. The capture rule took the questions of a session, a file brought the others. Remove all of it: npx spandrel demo --remove";

/**
 * Makes the dataset with its fixed id: an import of everything may bring ids along, also twice. Its capture rule must be
 * there before the spans are.
 */
export async function makeDataset(api: ApiClient): Promise<void> {
  const now = new Date().toISOString();
  const dataset = {
    id: DEMO_MARKS.datasetId,
    name: 'Demo: capitals (fake model)',
    description: HALF_MADE,
    ...{ datapoint_count: 0, version: 0, created_at: now, updated_at: now },
  };
  await api.post('/api/import/json', { version: 1, traces: [], spans: [], datasets: [dataset], datapoints: [] });
  await api.post(`${PATH}/capture-rules`, {
    name: 'Demo: answered questions',
    filters: { tag: DEMO_MARKS.tag, model: FAKE_MODELS.chat, status: 'completed' },
  });
  const { imported } = await api.upload<{ imported: number }>(`${PATH}/import`, { text: FILE, mediaType: 'text/csv' });
  if (imported === 0) throw new StartError([`${PATH}/import: the demo's file brought no datapoint`]);
}

/** Waits until the capture rule has taken the questions: it works behind the recording. @returns their datapoints */
export async function capturedDatapoints(api: ApiClient): Promise<DatapointResource[]> {
  await poll(async () => {
    const [rule] = await api.list<CaptureRuleResource>(`${PATH}/capture-rules?limit=1`, 'capture_rules');
    return rule && rule.captured_count >= CAPTURED ? rule : undefined;
  }, `the capture rule did not take the ${CAPTURED} recorded questions; the server's log says why`);
  const datapoints = await api.list<DatapointResource>(`${PATH}/datapoints?limit=1000`, 'datapoints');
  return datapoints.filter(({ source_span_id: span }) => span !== null);
}

/** The last step: the demo is whole. */
export async function describeAsWhole(api: ApiClient): Promise<void> {
  await api.put(PATH, { description: WHOLE });
}
