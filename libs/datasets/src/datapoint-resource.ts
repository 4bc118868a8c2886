import {
  exactJsonInPieces,
  formatTimestamp,
  parseExactJson,
  type DatapointKind,
  type DatapointResource,
  type JsonValue,
} from '@spandrel/contract';
import { inTurns } from '@spandrel/kernel';
import type { KindColumns } from './datapoint-json.js';
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
export const datapointKind = (row: KindColumns): DatapointKind => {
  const { kind, resultOutput: output } = row;
  return shownKind(parseExactJson(kind), output === null ? undefined : parseExactJson(output), row.resultScore);
};

/** What {@link datapointKind} makes; others have their turn while a large one is parsed. */
export async function datapointKindInTurns(row: KindColumns): Promise<DatapointKind> {
  const { kind, resultOutput: output } = row;
  const result = output === null ? undefined : await inTurns(exactJsonInPieces(output));
  return shownKind(await inTurns(exactJsonInPieces(kind)), result, row.resultScore);
}

/** @param output of the newest result; `undefined` when there is none. */
function shownKind(json: JsonValue, output: JsonValue | undefined, resultScore: number | null): DatapointKind {
  const kind = json as unknown as DatapointKind;
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
  const result = output === undefined ? { actual_output, score } : { actual_output: output, score: resultScore };
  return { Generic: { input, expected_output, ...result, metadata, ...others } };
}
