import {
  exactJsonInPieces,
  formatTimestamp,
  numberOf,
  parseExactJson,
  parseWithSources,
  type DatapointKind,
  type DatapointResource,
  type JsonValue,
  jsonMembers,
  type DatapointPreview,
} from '@spandrel/contract';
import { inTurns } from '@spandrel/kernel';
import type { WireEvent } from '@spandrel/events';
import { firstCodePoints, previewOfInput, previewOfOutput, PREVIEWED_BYTES_MAX } from '@spandrel/tracing';
import { type DatapointRow, sourceName } from './datapoint.entity.js';

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
  const read = (text: string): JsonValue => parseExactJson(text, Infinity, parseWithSources);
  return shownKind(read(kind), output === null ? undefined : read(output), row.resultScore);
};

/** What {@link datapointKind} makes; others have their turn while a large one is parsed. */
export async function datapointKindInTurns(row: KindColumns): Promise<DatapointKind> {
  const { kind, resultOutput: output } = row;
  const read = (text: string): Promise<JsonValue> => inTurns(exactJsonInPieces(text, Infinity, parseWithSources));
  const result = output === null ? undefined : await read(output);
  return shownKind(await read(kind), result, row.resultScore);
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

/**
 * The JSON of `datapointResource(row)`, made without parsing and writing again what can be large: the kind is stored as JSON.
 * Members that the variant does not know stand behind those that it does.
 */
export const datapointJson = (row: DatapointRow): string =>
  `{"id":${JSON.stringify(row.id)},"dataset_id":${JSON.stringify(row.datasetId)},"kind":${kindJson(row)},` +
  `"source":${JSON.stringify(sourceName(row.source))},"source_span_id":${JSON.stringify(row.sourceSpanId)},` +
  `"created_at":"${formatTimestamp(row.createdAt)}","updated_at":"${formatTimestamp(row.updatedAt)}"}`;

/** The event of a datapoint that was made. */
export const datapointCreated = (row: DatapointRow): WireEvent => ({
  type: 'datapoint_created',
  get json() {
    return `{"type":"datapoint_created","datapoint":${datapointJson(row)}}`;
  },
});

export type KindColumns = Pick<DatapointRow, 'kind' | 'resultOutput' | 'resultScore'>;

/** The members of each variant of a kind, in the order in which they are shown. */
export const KIND_MEMBERS = {
  Generic: ['input', 'expected_output', 'actual_output', 'score', 'metadata'],
  LlmConversation: ['messages', 'expected', 'metadata'],
};
/** Members that are left out where they are not there; `null` stands for the others. */
const ALWAYS_THERE: ReadonlySet<string> = new Set(['input', 'messages']);

/**
 * The members of a datapoint's kind as JSON texts, with the newest result of a run, when there is one, in its place.
 * @returns the variant's name, and the members that are stored.
 */
export function kindTexts({ kind, resultOutput, resultScore }: KindColumns): {
  name: keyof typeof KIND_MEMBERS;
  texts: Map<string, string>;
} {
  // One member, whose value may be long: its end is not looked for.
  const colon = kind.indexOf(':');
  const name = JSON.parse(kind.slice(kind.indexOf('"'), colon)) as keyof typeof KIND_MEMBERS;
  const texts = new Map<string, string>();
  for (const member of jsonMembers(kind, colon + 1)) {
    texts.set(member.name, kind.slice(member.valueStart, member.end));
  }
  if (name === 'Generic' && resultOutput !== null) {
    texts.set('actual_output', resultOutput).set('score', JSON.stringify(resultScore));
  }
  return { name, texts };
}

function kindJson(row: DatapointRow): string {
  const { name, texts } = kindTexts(row);
  const known = KIND_MEMBERS[name];
  const shown = known.filter((member) => !ALWAYS_THERE.has(member) || texts.has(member));
  const others = [...texts.keys()].filter((member) => !known.includes(member));
  const members = [...shown, ...others].map((member) => `${JSON.stringify(member)}:${texts.get(member) ?? 'null'}`);
  return `{"${name}":{${members.join(',')}}}`;
}

/** A datapoint as a preview reads it: `kind` and `resultOutput` larger than {@link PREVIEWED_BYTES_MAX} are cut. */
export type PreviewedRow = DatapointRow & { kindBytes: number; resultBytes: number };

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

function textsOf(row: PreviewedRow, codePoints: number) {
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
    score: numberOf(score) ?? null,
  };
}
