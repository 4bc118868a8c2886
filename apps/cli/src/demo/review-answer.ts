import type { DatapointResource, QueueItemResource, SpanResource } from '@spandrel/contract';
import { StartError } from '@spandrel/kernel/launch';
import type { ApiClient } from './api-client.js';
import { DEMO_MARKS } from './demo-marks.js';
import { DEMO_TRACES } from './record-traces.js';

const REVIEWER = 'demo-reviewer';

/**
 * Enqueues two captured answers: one that is wrong, which a reviewer claims and corrects, and one that waits for whoever
 * opens the demo.
 * @param captured the datapoints that the capture rule made.
 */
export async function reviewAnswer(api: ApiClient, captured: readonly DatapointResource[]): Promise<void> {
  const wrong = await datapointOf(api, captured, DEMO_TRACES.wrongAnswer);
  const other = await datapointOf(api, captured, DEMO_TRACES.followUp);
  const { items } = await api.post<{ items: QueueItemResource[] }>(`/api/datasets/${DEMO_MARKS.datasetId}/queue`, {
    datapoint_ids: [wrong.id, other.id],
  });
  const item = items.find(({ datapoint_id: id }) => id === wrong.id);
  if (!item) throw new StartError(['the queue does not show what was enqueued']);
  await api.post(`/api/queue/${item.id}/claim`, { claimed_by: REVIEWER });
  await api.post(`/api/queue/${item.id}/submit?apply=true`, { edited_data: corrected(wrong.kind) });
}

async function datapointOf(
  api: ApiClient,
  captured: readonly DatapointResource[],
  traceId: string,
): Promise<DatapointResource> {
  const { spans } = await api.get<{ spans: SpanResource[] }>(`/api/traces/${traceId}`);
  const found = captured.find(({ source_span_id: id }) => spans.some((span) => span.id === id));
  if (!found) throw new StartError([`the capture rule made no datapoint of the trace ${traceId}`]);
  return found;
}

/** The capital of Australia, which the fake model does not know. A gateway that records no texts leaves a Generic. */
const corrected = (kind: DatapointResource['kind']): object =>
  'LlmConversation' in kind
    ? { LlmConversation: { ...kind.LlmConversation, expected: 'Canberra' } }
    : { Generic: { ...kind.Generic, expected_output: 'Canberra' } };
