import { formatTimestamp, parseExactJson, type DatapointKind, type DatapointResource } from '@spandrel/contract';
import type { DatapointRow } from './datapoint.entity.js';
import { sourceName } from './source.js';

/** A stored datapoint as the wire shows it. */
export const datapointResource = (datapoint: DatapointRow): DatapointResource => ({
  id: datapoint.id,
  dataset_id: datapoint.datasetId,
  kind: datapointKind(datapoint),
  source: sourceName(datapoint.source),
  source_span_id: datapoint.sourceSpanId,
  created_at: formatTimestamp(datapoint.createdAt),
  updated_at: formatTimestamp(datapoint.updatedAt),
});

/** The kind with every member of its variant, and with the newest result of a run, when there is one, in its place. */
export function datapointKind(row: Pick<DatapointRow, 'kind' | 'resultOutput' | 'resultScore'>): DatapointKind {
  const kind = parseExactJson(row.kind) as unknown as DatapointKind;
  if ('LlmConversation' in kind) {
    const { messages, expected = null, metadata = null, ...others } = kind.LlmConversation;
    return { LlmConversation: { messages, expected, metadata, ...others } };
  }
  const {
    input,
    expected_output = null,
    actual_output = null,
    score = null,
    metadata = null,
    ...others
  } = kind.Generic;
  const result =
    row.resultOutput === null
      ? { actual_output, score }
      : { actual_output: parseExactJson(row.resultOutput), score: row.resultScore };
  return { Generic: { input, expected_output, ...result, metadata, ...others } };
}
