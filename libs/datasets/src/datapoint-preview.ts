import { formatTimestamp, type DatapointPreview } from '@spandrel/contract';
import { firstCodePoints, previewOfInput, previewOfOutput, PREVIEWED_BYTES_MAX } from '@spandrel/tracing';
import { datapointKind } from './datapoint-resource.js';
import type { DatapointRow } from './datapoint.entity.js';
import { sourceName } from './source.js';

/** A datapoint as a preview reads it: `kind` and `resultOutput` larger than {@link PREVIEWED_BYTES_MAX} are cut. */
export type PreviewedRow = DatapointRow & { kindBytes: number; resultBytes: number };

type Texts = Pick<DatapointPreview, 'input_preview' | 'expected_preview' | 'actual_preview' | 'score'>;

/** A datapoint as a list of previews shows it. @param codePoints of each preview. */
export const datapointPreview = (row: PreviewedRow, codePoints: number): DatapointPreview => ({
  id: row.id,
  dataset_id: row.datasetId,
  variant: row.kind.startsWith(CONVERSATION) ? 'LlmConversation' : 'Generic',
  kind_bytes: row.kindBytes,
  ...textsOf(row, codePoints),
  source: sourceName(row.source),
  source_span_id: row.sourceSpanId,
  created_at: formatTimestamp(row.createdAt),
  updated_at: formatTimestamp(row.updatedAt),
});

const CONVERSATION = '{"LlmConversation":';
const GENERIC = '{"Generic":';

function textsOf(row: PreviewedRow, codePoints: number): Texts {
  const isResultCut = row.resultBytes > PREVIEWED_BYTES_MAX;
  const cutResult = isResultCut ? firstCodePoints(row.resultOutput!, codePoints) : undefined;
  if (row.kindBytes > PREVIEWED_BYTES_MAX) {
    const start = row.kind.startsWith(CONVERSATION) ? CONVERSATION.length : GENERIC.length;
    const result = row.resultOutput === null || isResultCut ? null : JSON.parse(row.resultOutput);
    return {
      input_preview: firstCodePoints(row.kind.slice(start), codePoints),
      expected_preview: null,
      actual_preview: cutResult ?? previewOfOutput(result, codePoints),
      score: row.resultScore,
    };
  }
  const kind = datapointKind(isResultCut ? { ...row, resultOutput: 'null' } : row);
  if ('LlmConversation' in kind) {
    const { messages, expected } = kind.LlmConversation;
    return {
      input_preview: previewOfInput(messages, codePoints),
      expected_preview: previewOfOutput(expected, codePoints),
      actual_preview: null,
      score: null,
    };
  }
  const { input, expected_output: expected, actual_output: actual, score } = kind.Generic;
  return {
    input_preview: previewOfInput(input, codePoints),
    expected_preview: previewOfOutput(expected, codePoints),
    actual_preview: cutResult ?? previewOfOutput(actual, codePoints),
    score: score ?? null,
  };
}
