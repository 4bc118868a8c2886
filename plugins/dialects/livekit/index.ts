import {
  amountAt,
  amountOf,
  completionOf,
  conversationOf,
  countOf,
  defineDialect,
  flagAt,
  idAt,
  listOf,
  looseValue,
  namesOf,
  objectOf,
  plainText,
  reportedUsage,
  saidJson,
  takeAt,
  textAt,
  textOf,
  type Given,
  type OtelMap,
  type OtelSpan,
  type ReadKind,
  type ReadUsage,
  type SpanReading,
} from '@spandrel/plugin-api';

/** LiveKit's agents. Newer versions write personal data under `lk.pii.`, and calls as GenAI has them (docs/spec/otlp.md#livekit). */
export default defineDialect({
  name: 'livekit',
  setup: () => ({ claims: { attributes: ['lk.*'] }, read }),
});

function read({ attributes, name }: OtelSpan): SpanReading {
  const metrics = objectOf(takeAt(attributes, ['lk.llm_metrics', 'lk.realtime_model_metrics'], saidJson)?.value);
  const kind = kindOf(attributes, name);
  return {
    kind,
    ...modelOf(metrics),
    usage: usageOf(metrics),
    input: inputOf(attributes, kind),
    output: outputOf(attributes, kind),
    timeToFirstTokenMs: firstTokenMs(attributes, metrics),
    failure: failureOf(attributes),
    session: idAt(attributes, own('room_name')),
    user: idAt(attributes, own('participant_identity')),
  };
}

const own = (name: string): readonly string[] => [`lk.${name}`, `lk.pii.${name}`];

const TOOL_OUTPUT = own('function_tool.output');

/** By the name of the span, where it has no operation of the conventions; those of speech have their own names. */
function kindOf(attributes: OtelMap, name: string): ReadKind | undefined {
  const tool = textAt(attributes, own('function_tool.name'));
  if (tool !== undefined) return { type: 'tool_call', name: tool, callId: textAt(attributes, own('function_tool.id')) };
  if (textAt(attributes, 'gen_ai.operation.name') !== undefined) return undefined;
  if (name === 'llm_request') return { type: 'llm_call' };
  return { type: 'custom', kind: CUSTOM_KINDS.get(name) ?? name, name: textAt(attributes, own('agent_name')) };
}

const CUSTOM_KINDS: ReadonlyMap<string, string> = new Map([
  ['agent_session', 'workflow'],
  ['agent_turn', 'agent'],
]);

function inputOf(attributes: OtelMap, kind: ReadKind | undefined): Given | undefined {
  if (kind?.type === 'tool_call') return takeAt(attributes, own('function_tool.arguments'), saidJson);
  const chat = takeAt(attributes, own('chat_ctx'), saidJson);
  if (chat) return { value: conversationOf(chatOf(chat.value)) };
  const asked = takeAt(attributes, own('user_input'), plainText);
  const instructions = takeAt(attributes, own('instructions'), plainText);
  if (asked) return { value: conversationOf(asked.value, instructions?.value), from: namesOf(asked, instructions) };
  return takeAt(attributes, own('user_transcript'), plainText) ?? takeAt(attributes, own('input_text'), plainText);
}

/** The items of a context: messages, calls of tools and what these gave. The attribute stays: items have more than that. */
function chatOf(value: unknown): unknown {
  const { items } = objectOf(value);
  return Array.isArray(items) ? items.flatMap(messagesOfItem) : value;
}

/** Others are no part of what is said: handoffs, changes of the configuration. */
function messagesOfItem(item: unknown): unknown[] {
  const { type, role, content } = objectOf(item);
  if (type === 'message') return [{ role, content }];
  return type === 'function_call' || type === 'function_call_output' ? [item] : [];
}

function outputOf(attributes: OtelMap, kind: ReadKind | undefined): Given | undefined {
  if (kind?.type === 'tool_call') return takeAt(attributes, TOOL_OUTPUT, saidJson);
  const text = takeAt(attributes, own('response.text'), plainText);
  const calls = takeAt(attributes, own('response.function_calls'), saidJson);
  const called = listOf(calls?.value).map(looseValue);
  if (!text && called.length === 0) return undefined;
  const message = { role: 'assistant', content: text?.value ?? null, ...(called.length > 0 && { tool_calls: called }) };
  return { value: completionOf([message]), from: namesOf(text, calls) };
}

function modelOf(metrics: Readonly<Record<string, unknown>>): Pick<SpanReading, 'model' | 'provider'> {
  const { model_name: model, model_provider: provider } = objectOf(metrics['metadata']);
  return { model: textOf(model) ?? undefined, provider: textOf(provider) ?? undefined };
}

function usageOf(metrics: Readonly<Record<string, unknown>>): ReadUsage | undefined {
  const count = (name: string): number | undefined => countOf(metrics[name]) ?? undefined;
  const input = objectOf(metrics['input_token_details']);
  const output = objectOf(metrics['output_token_details']);
  return reportedUsage({
    inputTokens: count('prompt_tokens') ?? count('input_tokens'),
    outputTokens: count('completion_tokens') ?? count('output_tokens'),
    totalTokens: count('total_tokens'),
    cachedInputTokens: count('prompt_cached_tokens') ?? countOf(input['cached_tokens']) ?? undefined,
    cacheWriteTokens: count('cache_creation_tokens'),
    reasoningTokens: count('reasoning_tokens'),
    inputAudioTokens: countOf(input['audio_tokens']) ?? undefined,
    outputAudioTokens: countOf(output['audio_tokens']) ?? undefined,
    serviceTier: textOf(metrics['service_tier']) ?? undefined,
  });
}

/** Seconds; a negative time is none. */
function firstTokenMs(attributes: OtelMap, metrics: Readonly<Record<string, unknown>>): number | undefined {
  const seconds = amountAt(attributes, own('response.ttft')) ?? amountOf(metrics['ttft']);
  return seconds === null || seconds === undefined ? undefined : seconds * 1000;
}

/** A tool that failed says so in its output. */
function failureOf(attributes: OtelMap): string | undefined {
  if (flagAt(attributes, own('function_tool.is_error')) !== true) return undefined;
  return textAt(attributes, TOOL_OUTPUT) ?? 'error';
}
