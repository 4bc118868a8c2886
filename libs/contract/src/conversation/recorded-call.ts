import type { DatapointMessage } from '../datapoint-kind.js';
import { datapointOfTexts } from './datapoint-of-texts.js';
import { firstText, listOf, objectOf } from './lenient-values.js';

/** A recorded call of a model, as it can be made again. */
export interface RecordedCall {
  messages: DatapointMessage[];
  model: string | null;
  provider: string | null;
  tools: readonly unknown[];
  /** What else was sent, in the names of its provider; the limit of the answer is `max_tokens`. */
  parameters: Record<string, unknown>;
  /** Whether texts of it were cut when it was recorded. */
  isCut: boolean;
}

/** The call that a span recorded (docs/spec/replay.md#what-is-sent); `null` where its input holds no messages. */
export function recordedCall(span: { input: unknown; kind: unknown; metadata: unknown }): RecordedCall | null {
  const kind = datapointOfTexts({ input: span.input, output: null, isLlmCall: true });
  if (!('LlmConversation' in kind)) return null;
  const { messages, metadata: beside } = kind.LlmConversation;
  const { model, provider } = objectOf(span.kind);
  const { request, endpoint, truncated } = objectOf(span.metadata);
  const sent = { ...objectOf(beside?.['input']), ...objectOf(request) };
  const isChat = typeof endpoint !== 'string' || /\/(chat\/completions|messages|chat)\/?$/.test(endpoint);
  const others = Object.entries(sent).filter(([name]) => isChat && !NOT_SENT.has(name) && !LIMITS.includes(name));
  const limit = [...LIMITS.map((name) => sent[name]), objectOf(sent['options'])['num_predict']].find(Number.isInteger);
  return {
    messages,
    model: firstText(model),
    provider: firstText(provider),
    tools: listOf(sent['tools']),
    parameters: {
      ...commonParameters(sent),
      ...Object.fromEntries(others),
      ...(limit !== undefined && { max_tokens: limit }),
    },
    isCut: truncated === true,
  };
}

/** What a provider takes of the parameters of a recorded call: its own all of them. */
export const parametersFor = (
  { provider, parameters }: Pick<RecordedCall, 'provider' | 'parameters'>,
  name: string,
): Record<string, unknown> => (provider === name ? parameters : commonParameters(parameters));

/** The parameters that every provider takes. */
export const commonParameters = (parameters: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    ['temperature', 'max_tokens'].flatMap((name) => (name in parameters ? [[name, parameters[name]]] : [])),
  );

const LIMITS = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'];

/** Members that say how an answer comes, or are sent otherwise. */
const NOT_SENT: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'system',
  'tools',
  'stream',
  'stream_options',
  'n',
]);
