import {
  completionOfAnswer,
  amountAt,
  countAt,
  countOf,
  amountOf,
  defineDialect,
  filledTextOf,
  flagAt,
  idAt,
  idOf,
  isVector,
  kindOfType,
  listOf,
  objectOf,
  plainText,
  promptOfRequest,
  readOpenAiUsage,
  reportedCost,
  reportedUsage,
  saidJson,
  takeAt,
  takeObject,
  textAt,
  textOf,
  textsAt,
  type Given,
  type JsonObject,
  type OtelMap,
  type OtelSpan,
  type OtelValue,
  type ReadKind,
  type ReadUsage,
  type SpanReading,
} from '@spandrel/plugin-api';

/**
 * Frameworks, SDKs and gateways that say by a type of their own what a span is, and have what it was given and gave back
 * in one attribute each (docs/spec/otlp.md#typed-spans).
 */
export default defineDialect({
  name: 'typed-spans',
  setup: () => ({
    claims: {
      attributes: ['braintrust.*', 'langwatch.*', 'tfy.span_type', 'entity.type'],
      spans: ['haystack.*'],
    },
    read,
  }),
});

function read(span: OtelSpan): SpanReading | undefined {
  const { input, output, ...reading } = readerOf(span)?.(span) ?? {};
  const isCall = reading.kind?.type === 'llm_call';
  return {
    ...reading,
    input: input && isCall ? promptOfRequest(input) : input,
    output: output && isCall ? completionOfAnswer(output) : output,
  };
}

function readerOf({ attributes, name }: OtelSpan): ((span: OtelSpan) => SpanReading) | undefined {
  if (name.startsWith('haystack.')) return readHaystack;
  return SENDERS.find(([sign]) => attributes.has(sign))?.[1];
}

/** Attributes by which spans of a sender are known. */
const SENDERS: readonly (readonly [sign: string, read: (span: OtelSpan) => SpanReading])[] = [
  ['langwatch.span.type', readLangWatch],
  ['langwatch.input', readLangWatch],
  ['braintrust.span_attributes', readBraintrust],
  ['braintrust.metadata', readBraintrust],
  ['braintrust.input_json', readBraintrust],
  ['tfy.span_type', readTrueFoundry],
  ['entity.type', readVoltAgent],
];

const objectAt = (attributes: OtelMap, name: string): JsonObject => objectOf(takeAt(attributes, name)?.value);

/** LangWatch wraps values with their types; its SDK for Python has the ids and labels of the trace in `metadata`. */
function readLangWatch({ attributes, name }: OtelSpan): SpanReading {
  const type = textAt(attributes, 'langwatch.span.type');
  const metrics = objectOf(unwrapped(takeAt(attributes, 'langwatch.metrics')?.value));
  const metadata = takeObject(attributes, 'metadata');
  const idIn = (...members: string[]) =>
    members.map((member) => idOf(metadata?.value[member] as OtelValue)).find((id) => id !== undefined);
  const kind = type === undefined || type === 'span' ? undefined : kindOfType(type, name);
  const params = objectOf(unwrapped(takeAt(attributes, 'langwatch.params')?.value));
  const documents = kind?.type === 'retrieval' ? ['langwatch.rag.contexts', 'langwatch.rag_contexts'] : [];
  // The SDK for Go has the tokens as the conventions have them.
  const isCounted = metrics['prompt_tokens'] !== undefined || metrics['completion_tokens'] !== undefined;
  return {
    kind,
    usage: isCounted ? { ...readOpenAiUsage(metrics), cost: amountOf(metrics['cost']) } : undefined,
    input: wrappedAt(attributes, 'langwatch.input'),
    output: wrappedAt(attributes, 'langwatch.output') ?? takeAt(attributes, documents),
    request: Object.keys(params).length > 0 ? { value: params, from: ['langwatch.params'] } : undefined,
    streaming: flagAt(attributes, 'langwatch.gen_ai.streaming'),
    timeToFirstTokenMs: amountOf(metrics['first_token_ms']) ?? undefined,
    metadata,
    session: idAt(attributes, ['langwatch.thread.id', 'langwatch.session.id']) ?? idIn('thread_id', 'session_id'),
    user: idAt(attributes, ['langwatch.user.id', 'langwatch.customer.id']) ?? idIn('user_id', 'customer_id'),
    tags: textsAt(attributes, 'langwatch.labels') ?? (metadata?.value['labels'] as SpanReading['tags']),
  };
}

function wrappedAt(attributes: OtelMap, name: string): Given | undefined {
  const given = takeAt(attributes, name, saidJson);
  return given && { ...given, value: unwrapped(given.value) };
}

/** `{type: 'chat_messages', value}` with nothing beside; a list is one of such values. */
function unwrapped(wrapped: unknown): unknown {
  const { type, value, ...others } = objectOf(wrapped);
  if (typeof type !== 'string' || value === undefined || Object.keys(others).length > 0) return wrapped;
  return type === 'list' ? listOf(value).map(unwrapped) : value;
}

/** Braintrust's SDKs for Java, Go, Ruby and .NET, which report by OpenTelemetry alone. */
function readBraintrust({ attributes, name }: OtelSpan): SpanReading {
  const type = textOf(objectAt(attributes, 'braintrust.span_attributes')['type']);
  const metadata = takeObject(attributes, 'braintrust.metadata');
  const { model, provider, stream } = metadata?.value ?? {};
  const metrics = objectAt(attributes, 'braintrust.metrics');
  const output = takeAt(attributes, ['braintrust.output_json', 'braintrust.output'], saidJson);
  const first = amountOf(metrics['time_to_first_token']);
  const isCall = type === null && metrics['prompt_tokens'] !== undefined;
  return {
    kind: type === null ? (isCall ? { type: 'llm_call' } : undefined) : kindOfType(type, name),
    model: filledTextOf(model) ?? undefined,
    provider: filledTextOf(provider) ?? undefined,
    usage: usageOfBraintrust(metrics, objectOf(objectOf(output?.value)['usage']), provider),
    input: takeAt(attributes, ['braintrust.input_json', 'braintrust.input'], saidJson),
    output,
    streaming: typeof stream === 'boolean' ? stream : undefined,
    timeToFirstTokenMs: first === null ? undefined : first * 1000,
    metadata,
    tags: textsAt(attributes, 'braintrust.tags'),
  };
}

function usageOfBraintrust(metrics: JsonObject, answered: JsonObject, provider: unknown): ReadUsage | undefined {
  const count = (name: string) => countOf(metrics[name]) ?? undefined;
  const [fiveMinutes, hour] = [count('prompt_cache_creation_5m_tokens'), count('prompt_cache_creation_1h_tokens')];
  const byTime = fiveMinutes === undefined && hour === undefined ? undefined : (fiveMinutes ?? 0) + (hour ?? 0);
  // Anthropic's own count leaves out the cache; the SDK for Go adds it. Bedrock's total has a cache that is not reported.
  const isOwnCount = answered['input_tokens'] === metrics['prompt_tokens'] && answered['total_tokens'] === undefined;
  return reportedUsage({
    inputTokens: count('prompt_tokens'),
    outputTokens: count('completion_tokens'),
    totalTokens: provider === 'bedrock' ? undefined : count('tokens'),
    cachedInputTokens: count('prompt_cached_tokens'),
    cacheWriteTokens: count('prompt_cache_creation_tokens') ?? byTime,
    cacheWrite1hTokens: hour,
    reasoningTokens: count('completion_reasoning_tokens') ?? count('thoughts_token_count'),
    inputExcludesCached: isOwnCount ? true : undefined,
  });
}

/** TrueFoundry's gateway: a request, and below it the call of the model, which has the tokens and the cost. */
function readTrueFoundry({ attributes, name }: OtelSpan): SpanReading {
  const output = takeAt(attributes, 'tfy.output');
  const metric = (member: string) => countAt(attributes, `tfy.model.metric.${member}`);
  return {
    kind: kindOfTrueFoundry(attributes, name),
    model: textAt(attributes, ['tfy.model.name', 'tfy.request.model_name']),
    responseModel: textOf(objectOf(output?.value)['model']) || undefined,
    usage: reportedUsage({
      inputTokens: metric('input_tokens'),
      outputTokens: metric('output_tokens'),
      cachedInputTokens: metric('cache_read_input_tokens'),
      cacheWriteTokens: metric('cache_creation_input_tokens'),
      cost: amountAt(attributes, 'tfy.model.metric.cost_in_usd'),
    }),
    input: takeAt(attributes, 'tfy.input'),
    output,
    streaming: flagAt(attributes, 'tfy.model.streaming'),
    timeToFirstTokenMs: amountAt(attributes, 'tfy.model.metric.time_to_first_token_in_ms'),
    metadata: takeObject(attributes, 'tfy.request.metadata'),
    failure: textAt(attributes, 'tfy.error_message'),
    session: idAt(attributes, 'tfy.request.conversation_id'),
  };
}

function kindOfTrueFoundry(attributes: OtelMap, name: string): ReadKind {
  const type = textAt(attributes, 'tfy.span_type') ?? 'span';
  if (type === 'MCP') return { type: 'tool_call', name: textAt(attributes, 'tfy.mcp_server.primitive_name') ?? name };
  if (type !== 'Model') return { type: 'custom', kind: type.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase() };
  const asked = textAt(attributes, 'tfy.model.request_type');
  return { type: asked === 'Embedding' ? 'embedding' : asked === 'Rerank' ? 'retrieval' : 'llm_call' };
}

/** Haystack's own tracing; what a component is, its class says. The answers of generators have the model and the tokens. */
function readHaystack({ attributes, name }: OtelSpan): SpanReading {
  const kind = kindOfHaystack(attributes, name);
  const output = takeAt(attributes, HAYSTACK_OUTPUTS);
  const reading = { kind, input: takeAt(attributes, HAYSTACK_INPUTS), output };
  if (kind.type !== 'llm_call' && kind.type !== 'embedding') return reading;
  const { embedding, ...answer } = objectOf(output?.value);
  const { replies, meta } = answer;
  const messages = listOf(replies).map((reply, at) => {
    const { meta: own, ...message } = typeof reply === 'string' ? { content: reply } : objectOf(reply);
    return { ...SAID, ...message, meta: objectOf(own ?? listOf(meta)[at]) };
  });
  const { model, usage } = messages[0]?.meta ?? objectOf(meta);
  const said = messages.map(({ meta: { finish_reason: reason }, ...message }) => ({
    ...message,
    finish_reason: reason,
  }));
  return {
    ...reading,
    responseModel: textOf(model) || undefined,
    usage: usageOfHaystack(objectOf(usage)),
    output: said.length > 0 ? { value: said } : isVector(listOf(embedding)) ? { ...output, value: answer } : output,
  };
}

/** What a model says, as far as that is not reported. */
const SAID = { role: 'assistant', content: null };

/** Anthropic's count of input tokens is renamed, and leaves out the cache as ever. */
function usageOfHaystack(usage: JsonObject): ReadUsage | undefined {
  const { prompt_tokens: input, cache_read_input_tokens: cached, cache_creation_input_tokens: written } = usage;
  const isAnthropics = (cached ?? written) !== undefined && usage['total_tokens'] === undefined;
  const counts = readOpenAiUsage(usage);
  return reportedUsage(isAnthropics ? { ...counts, inputTokens: countOf(input), inputExcludesCached: true } : counts);
}

const HAYSTACK_INPUTS = [
  ...['haystack.component.input', 'haystack.agent.step.llm.input', 'haystack.agent.step.tool.input'],
  ...['haystack.agent.input', 'haystack.pipeline.input_data'],
];
const HAYSTACK_OUTPUTS = [
  ...['haystack.component.output', 'haystack.agent.step.llm.output', 'haystack.agent.step.tool.output'],
  ...['haystack.agent.output', 'haystack.pipeline.output_data'],
];

function kindOfHaystack(attributes: OtelMap, name: string): ReadKind {
  const component = textAt(attributes, 'haystack.component.type');
  if (component === undefined) {
    if (name.endsWith('.tool')) return { type: 'tool_call', name: textAt(attributes, 'haystack.tool.name') ?? name };
    if (name.endsWith('.llm')) return { type: 'llm_call' };
    return { type: 'custom', kind: name.endsWith('.step') ? 'step' : name.includes('agent') ? 'agent' : 'workflow' };
  }
  if (component.endsWith('Generator')) return { type: 'llm_call' };
  if (component.endsWith('Embedder')) return { type: 'embedding' };
  if (/(?:Retriever|Ranker)$/.test(component)) return { type: 'retrieval' };
  return { type: 'custom', kind: 'component', name: textAt(attributes, 'haystack.component.name') };
}

/** VoltAgent: the answers are those of its agents, whose calls of models have the messages, tokens and a cost. */
function readVoltAgent({ attributes, name }: OtelSpan): SpanReading {
  const reason = textAt(attributes, 'llm.finish_reason');
  if (!ENTITIES.has(attributes.get('entity.type'))) return {};
  return {
    kind: kindOfVoltAgent(attributes, name),
    model: textAt(attributes, ['llm.model', 'ai.model.name', 'embedding.model']),
    provider: textAt(attributes, 'llm.provider'),
    usage: usageOfVoltAgent(attributes),
    input: takeAt(attributes, ['llm.messages', 'input']),
    output:
      takeAt(attributes, 'output') ??
      (reason === undefined ? undefined : { value: [{ ...SAID, finish_reason: reason }] }),
    streaming: flagAt(attributes, 'llm.stream'),
    session: idAt(attributes, 'conversation.id'),
  };
}

/** Others may have an attribute of that name. */
const ENTITIES: ReadonlySet<unknown> = new Set(['agent', 'workflow']);

function kindOfVoltAgent(attributes: OtelMap, name: string): ReadKind {
  const type = textAt(attributes, 'span.type');
  if (type === 'workflow-step') return { type: 'custom', kind: 'step', name: textAt(attributes, 'workflow.step.name') };
  const title = textAt(attributes, ['subagent.name', 'entity.name']);
  if (type === undefined) return { type: 'custom', kind: textAt(attributes, 'entity.type') ?? 'agent', name: title };
  const kind = kindOfType(type, textAt(attributes, 'tool.name') ?? name);
  return kind.type === 'tool_call' ? { ...kind, callId: textAt(attributes, 'tool.call.id') } : kind;
}

function usageOfVoltAgent(attributes: OtelMap): ReadUsage | undefined {
  const count = (member: string) => countAt(attributes, [`llm.usage.${member}`, `usage.${member}`]);
  const { value: upstream } = takeAt(attributes, 'usage.cost_details.upstream_inference_cost', plainText) ?? {};
  return reportedUsage({
    inputTokens: count('prompt_tokens'),
    outputTokens: count('completion_tokens'),
    totalTokens: count('total_tokens'),
    cachedInputTokens: count('cached_tokens'),
    reasoningTokens: count('reasoning_tokens'),
    cost: reportedCost({
      cost: amountAt(attributes, 'usage.cost'),
      is_byok: flagAt(attributes, 'usage.is_byok'),
      cost_details: { upstream_inference_cost: upstream },
    }),
  });
}
