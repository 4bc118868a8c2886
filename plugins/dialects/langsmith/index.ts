import {
  defineDialect,
  flagAt,
  hasAny,
  idAt,
  kindOfType,
  takeAt,
  takeMembers,
  textAt,
  type OtelMap,
  type OtelSpan,
  type SpanReading,
  asCompletion,
  asConversation,
  completionOf,
  conversationOf,
  listOf,
  messageOfChoice,
  objectOf,
  saidByModel,
  without,
  type Given,
  type ReadKind,
  amountOf,
  countOf,
  filledTextOf,
  saidJson,
  reportedUsage,
  type ReadUsage,
} from '@spandrel/plugin-api';

/** LangSmith's SDKs with OpenTelemetry switched on: runs as spans (docs/spec/otlp.md#langsmith). */
export default defineDialect({
  name: 'langsmith',
  setup: () => ({ claims: { attributes: ['langsmith.*'] }, read }),
});

function read({ attributes, events, name, parentSpanId }: OtelSpan): SpanReading {
  const reported = textAt(attributes, 'langsmith.span.kind');
  const kind = reported === undefined ? undefined : kindOfType(reported, name);
  const model = textAt(attributes, ['gen_ai.request.model', 'langsmith.metadata.ls_model_name']);
  return {
    kind,
    model,
    provider: textAt(attributes, 'langsmith.metadata.ls_provider'),
    usage: usageOf(attributes),
    ...questionOf(takeAt(attributes, 'gen_ai.prompt'), kind, model),
    output: outputOf(takeAt(attributes, 'gen_ai.completion'), kind),
    streaming: flagAt(attributes, 'langsmith.request.streaming'),
    metadata: takeMembers(attributes, 'langsmith.metadata.', isTheTraces),
    session: idAt(attributes, SESSION),
    user: idAt(attributes, 'langsmith.metadata.user_id'),
    tags: tagsOf(attributes),
    failure: failureOf(events),
    // Every run has it, with its own name.
    traceName: parentSpanId === null ? textAt(attributes, 'langsmith.trace.name') : undefined,
  };
}

const SESSION = ['langsmith.metadata.session_id', 'langsmith.metadata.thread_id', 'langsmith.metadata.conversation_id'];

const THE_TRACES = new Set(['session_id', 'thread_id', 'conversation_id', 'user_id']);
const isTheTraces = (member: string): boolean => THE_TRACES.has(member);

/** The SDK for JavaScript reports a failed run by an exception event, and sets the span's status to OK. */
function failureOf(events: OtelSpan['events']): string | undefined {
  const exception = events.find(({ name }) => name === 'exception');
  return exception && (textAt(exception.attributes, ['exception.message', 'exception.type']) ?? 'error');
}

/** One text, `a, b`. */
function tagsOf(attributes: OtelMap): string[] | undefined {
  const tags = textAt(attributes, 'langsmith.span.tags')
    ?.split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  return tags && tags.length > 0 ? tags : undefined;
}

/** Members of a run's inputs that may hold what the model was asked, the first before the others. */
const ASKED = ['messages', 'prompts', 'prompt', 'input'];

/** The inputs of a run: messages and parameters for a model's, otherwise as sent. @param model that the span reports. */
function questionOf(
  given: Given | undefined,
  kind: ReadKind | undefined,
  model: string | undefined,
): Pick<SpanReading, 'input' | 'request'> {
  if (kind?.type !== 'llm_call' || !given) return { input: given };
  const inputs = objectOf(given.value);
  const asked = ASKED.find((name) => inputs[name] !== undefined && inputs[name] !== null);
  if (asked === undefined) return { input: asConversation(given) };
  const reported = inputs[asked];
  const { instructions, ...rest } = without(inputs, asked);
  // Messages of LangChain's own form have more in them than what is shown: the attribute stays.
  const isWhole = listOf(reported)
    .flat()
    .every((message) => typeof objectOf(message)['role'] === 'string');
  const { model: _model, stream: _stream, ...parameters } = rest;
  const isReported = rest['model'] === undefined || rest['model'] === model;
  return {
    input: { value: conversationOf(reported, instructions), from: isWhole && isReported ? given.from : undefined },
    ...(Object.keys(parameters).length > 0 && { request: { value: parameters } }),
  };
}

/** The outputs of a run of a model: LangChain's generations, OpenAI's choices or a message; otherwise as sent. */
function outputOf(given: Given | undefined, kind: ReadKind | undefined): Given | undefined {
  if (kind?.type !== 'llm_call' || !given) return given;
  const { generations, choices, messages, output } = objectOf(given.value);
  // The attribute stays as sent: there is more in it than the messages.
  if (generations !== undefined) return { value: completionOf(listOf(generations).flat().map(messageOfGeneration)) };
  if (choices !== undefined) return { value: completionOf(listOf(choices).map(messageOfChoice)) };
  if (messages !== undefined || output !== undefined) return { value: completionOf(saidByModel(messages ?? output)) };
  return asCompletion({ ...given, value: saidByModel(given.value) });
}

function messageOfGeneration(generation: unknown): unknown {
  const { message, text, generation_info: info } = objectOf(generation);
  const { kwargs, response_metadata: metadata = objectOf(kwargs)['response_metadata'] } = objectOf(message);
  const reason = [info, metadata].map((place) => filledTextOf(objectOf(place)['finish_reason'])).find(Boolean) ?? null;
  if (message === undefined) return { role: 'assistant', content: text ?? null, finish_reason: reason };
  return { finish_reason: reason, ...objectOf(message) };
}

/** Tokens with the details that the GenAI attributes beside them leave out; `undefined` when the run reports none. */
function usageOf(attributes: OtelMap): ReadUsage | undefined {
  const reported = objectOf(takeAt(attributes, USAGE, saidJson)?.value ?? usageBeside(attributes));
  const input = objectOf(reported['input_token_details']);
  const output = objectOf(reported['output_token_details']);
  // LangChain writes a tier before the names of the details, and the rest of the tokens under its own.
  const tier = TIERS.find((name) => input[name] !== undefined);
  const countIn = (details: Readonly<Record<string, unknown>>, name: string): number | undefined =>
    countOf(details[name]) ?? countOf(details[`${tier}_${name}`]) ?? undefined;
  // Written tokens by the time that they are kept stand in place of their sum, which is zero then.
  const byTime =
    (countIn(input, 'ephemeral_5m_input_tokens') ?? 0) + (countIn(input, 'ephemeral_1h_input_tokens') ?? 0);
  return reportedUsage({
    inputTokens: countOf(reported['input_tokens']) ?? undefined,
    outputTokens: countOf(reported['output_tokens']) ?? undefined,
    totalTokens: countOf(reported['total_tokens']) ?? undefined,
    cachedInputTokens: countIn(input, 'cache_read'),
    cacheWriteTokens: byTime > 0 ? byTime : countIn(input, 'cache_creation'),
    cacheWrite1hTokens: countIn(input, 'ephemeral_1h_input_tokens'),
    reasoningTokens: countIn(output, 'reasoning'),
    inputAudioTokens: countIn(input, 'audio'),
    outputAudioTokens: countIn(output, 'audio'),
    serviceTier: tier,
    cost: amountOf(reported['total_cost']) ?? undefined,
  });
}

/** A usage whose members are attributes of their own, where its details are, which nobody else reads. */
function usageBeside(attributes: OtelMap): object | undefined {
  if (!hasAny(attributes, DETAILS)) return undefined;
  return Object.fromEntries(
    [...COUNTED, ...DETAILS].map((name) => [name.slice(BESIDE.length), takeAt(attributes, name, saidJson)?.value]),
  );
}

const BESIDE = 'gen_ai.usage.';
const COUNTED = [`${BESIDE}input_tokens`, `${BESIDE}output_tokens`, `${BESIDE}total_tokens`, `${BESIDE}total_cost`];
const DETAILS = [`${BESIDE}input_token_details`, `${BESIDE}output_token_details`];
const TIERS = ['flex', 'priority'];
const USAGE = ['langsmith.usage_metadata', 'langsmith.metadata.usage_metadata'];
