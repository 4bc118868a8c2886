import { answerTextOf, recordedCall, type DatapointKind, type ReplayLeftOut } from '@spandrel/contract';
import { checkedDatapoint } from '@spandrel/datasets';
import { holdsMasked } from '@spandrel/masking';
import { objectOf } from '@spandrel/plugin-api';
import { fromLongJsonText, objectFromJsonText } from '@spandrel/storage';
import { STATUS, type StoredSpan } from '@spandrel/tracing';

export interface ReplayableSpan {
  kind: DatapointKind;
  /** What was answered, as text. */
  output: string;
}

/**
 * Says what a span becomes in a replay, or why it is left out (docs/spec/replay.md#spans-that-are-left-out).
 * @param labels what masking may have put in the place of values.
 */
export async function examineSpan(
  span: StoredSpan,
  labels: ReadonlySet<string>,
): Promise<ReplayableSpan | ReplayLeftOut> {
  if (span.kindType !== 'llm_call') return 'not_llm_call';
  if (span.status === STATUS.running) return 'running';
  if (span.status === STATUS.failed) return 'failed';
  const metadata = objectFromJsonText(span.metadata);
  if (metadata['truncated'] === true || objectOf(metadata['otel'])['truncated'] !== undefined) return 'truncated';
  const said = [span.input ?? '', span.output ?? '', JSON.stringify(metadata['request'] ?? null)];
  if (said.some((text) => holdsMasked(text, labels))) return 'masked';
  const { kind } = await checkedDatapoint(span);
  if (!kind) return 'too_deep';
  if (!isAsked(kind)) return 'no_messages';
  const output = answerTextOf(await fromLongJsonText(span.output));
  if (output === null) return 'no_answer';
  return { kind: await withRecorded(kind, span, metadata), output };
}

/** Whether there is something to ask a model: messages, or a text. */
const isAsked = (kind: DatapointKind): boolean =>
  'LlmConversation' in kind || (typeof kind.Generic.input === 'string' && kind.Generic.input !== '');

/** The datapoint with what its call was made with beside its messages. */
async function withRecorded(kind: DatapointKind, span: StoredSpan, metadata: object): Promise<DatapointKind> {
  const variant = 'LlmConversation' in kind ? kind.LlmConversation : kind.Generic;
  const [input, asKind] = [await fromLongJsonText(span.input), await fromLongJsonText(span.kind)];
  const call = recordedCall({ input, kind: asKind, metadata });
  const { tools = [], parameters = {} } = call ?? {};
  const recorded = { provider: span.provider, ...(tools.length > 0 && { tools }), parameters };
  const beside = { ...variant.metadata, name: span.name, model: span.model, recorded };
  return 'LlmConversation' in kind
    ? { LlmConversation: { ...kind.LlmConversation, metadata: beside } }
    : { Generic: { ...kind.Generic, metadata: beside } };
}
