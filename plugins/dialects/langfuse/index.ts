import {
  defineDialect,
  idAt,
  kindOfType,
  looseJson,
  saidJson,
  takeAt,
  takeMembers,
  takeObject,
  textAt,
  textsAt,
  type GivenMembers,
  type OtelMap,
  type OtelSpan,
  type ReadKind,
  type SpanReading,
  conversationOf,
  isAllMessages,
  listOf,
  objectOf,
  type Given,
  amountOf,
  countOf,
  readOpenAiUsage,
  reportedUsage,
  type ReadUsage,
} from '@spandrel/plugin-api';

/** The SDKs of Langfuse, version 3 and later in Python, 4 and later in JavaScript (docs/spec/otlp.md#langfuse). */
export default defineDialect({
  name: 'langfuse',
  setup: () => ({ claims: { attributes: ['langfuse.*'] }, read }),
});

function read({ attributes, name, startUnixNano }: OtelSpan): SpanReading {
  const kind = kindOf(textAt(attributes, 'langfuse.observation.type'), name);
  const { input, request } = questionOf(attributes, kind);
  const isOfInput = (member: string): boolean => input?.from?.includes(`${METADATA}.${member}`) === true;
  return {
    kind,
    model: textAt(attributes, 'langfuse.observation.model.name'),
    provider: name.startsWith(BY_CLIENT) ? 'openai' : undefined,
    usage: usageOf(attributes),
    input,
    output: takeAt(attributes, 'langfuse.observation.output', looseJson),
    request,
    streaming: request?.value['stream'] === true ? true : undefined,
    timeToFirstTokenMs: timeToFirstTokenMs(attributes, startUnixNano),
    metadata: metadataOf(attributes, METADATA, isOfInput),
    failure: failureOf(attributes),
    session: idAt(attributes, 'langfuse.session.id'),
    user: idAt(attributes, 'langfuse.user.id'),
    tags: textsAt(attributes, 'langfuse.trace.tags'),
    traceName: textAt(attributes, 'langfuse.trace.name'),
    traceMetadata: traceMetadataOf(attributes),
  };
}

/** Names that the SDK's wrapper of OpenAI's client gives, the method behind. */
const BY_CLIENT = 'OpenAI.';
const METADATA = 'langfuse.observation.metadata';

function kindOf(reported: string | undefined, name: string): ReadKind | undefined {
  // The SDK's wrapper of OpenAI's client calls everything a generation.
  if (name === `${BY_CLIENT}embeddings`) return { type: 'embedding' };
  return reported === undefined ? undefined : kindOfType(reported, name);
}

/** Members are attributes of their own; metadata that is no object is one attribute. Values may be JSON text. */
function metadataOf(attributes: OtelMap, name: string, leave?: (member: string) => boolean): GivenMembers | undefined {
  const members = takeMembers(attributes, `${name}.`, leave);
  const parsed = (value: unknown): unknown => (typeof value === 'string' ? looseJson(value) : value);
  if (!members) return takeObject(attributes, name);
  return {
    ...members,
    value: Object.fromEntries(Object.entries(members.value).map(([member, value]) => [member, parsed(value)])),
  };
}

/** Environment, release and version describe the whole trace. */
function traceMetadataOf(attributes: OtelMap): GivenMembers | undefined {
  const given = metadataOf(attributes, 'langfuse.trace.metadata');
  const value: Record<string, unknown> = { ...given?.value };
  const from = [...(given?.from ?? [])];
  for (const [member, name] of OF_TRACE) {
    const text = textAt(attributes, name);
    if (text === undefined || member in value) continue;
    value[member] = text;
    from.push(name);
  }
  return from.length === 0 ? undefined : { value, from };
}

const OF_TRACE = [
  ['environment', 'langfuse.environment'],
  ['release', 'langfuse.release'],
  ['version', 'langfuse.version'],
] as const;

/** Langfuse reports errors by a level and leaves the span's status unset. */
function failureOf(attributes: OtelMap): string | undefined {
  if (textAt(attributes, 'langfuse.observation.level') !== 'ERROR') return undefined;
  return textAt(attributes, 'langfuse.observation.status_message') ?? 'error';
}

/** The time of the first token is ISO 8601, JSON text or not. */
function timeToFirstTokenMs(attributes: OtelMap, startUnixNano: bigint): number | undefined {
  const text = textAt(attributes, 'langfuse.observation.completion_start_time');
  if (text === undefined || startUnixNano === 0n) return undefined;
  const reported = saidJson(text);
  const first = typeof reported === 'string' ? Date.parse(reported) : Number.NaN;
  const elapsed = first - Number(startUnixNano / 1_000_000n);
  return elapsed >= 0 ? elapsed : undefined;
}

/**
 * What an observation was given, and with which parameters. The wrapper of OpenAI's client writes tools beside the
 * messages, and the system prompt of Responses into the metadata.
 */
function questionOf(
  attributes: OtelMap,
  kind: ReadKind | undefined,
): { input: Given | undefined; request: GivenMembers | undefined } {
  const request = takeObject(attributes, PARAMETERS);
  const input = takeAt(attributes, 'langfuse.observation.input');
  if (kind?.type !== 'llm_call' || !input) return { input, request };
  const { messages, ...rest } = objectOf(input.value);
  if (listOf(messages).length > 0) {
    const isWhole = Object.keys(rest).every((name) => request?.value[name] === undefined);
    return {
      input: { value: conversationOf(messages), from: isWhole ? input.from : undefined },
      request: withMembers(request, rest),
    };
  }
  const instructions = textAt(attributes, INSTRUCTIONS);
  if (instructions === undefined) return { input, request };
  return {
    input: {
      value: conversationOf(input.value, instructions),
      from: [...(isAllMessages(input.value) ? input.from! : []), INSTRUCTIONS],
    },
    request,
  };
}

/** The parameters with what stood beside the messages; their names are those of the input. */
function withMembers(request: GivenMembers | undefined, rest: Record<string, unknown>): GivenMembers | undefined {
  return Object.keys(rest).length === 0 ? request : { ...request, value: { ...rest, ...request?.value } };
}

const PARAMETERS = 'langfuse.observation.model.parameters';
const INSTRUCTIONS = 'langfuse.observation.metadata.instructions';

/**
 * Tokens of `usage_details`, whose buckets exclude each other (`input` has neither `input_cached_tokens` nor
 * `cache_read_input_tokens` in it), and the cost of `cost_details`. The wrapper of OpenAI's client for Python writes the
 * usage as OpenAI has it, with its groups of details.
 */
function usageOf(attributes: OtelMap): ReadUsage | undefined {
  const counts = objectOf(takeAt(attributes, 'langfuse.observation.usage_details', saidJson)?.value);
  const costs = objectOf(takeAt(attributes, 'langfuse.observation.cost_details', saidJson)?.value);
  const cost = amountOf(costs['total']) ?? sumOfAmounts(costs);
  if (DETAILS.some((name) => objectOf(counts[name]) === counts[name])) {
    return reportedUsage({ ...readOpenAiUsage(counts), ...(cost !== undefined && { cost }) });
  }
  return reportedUsage({
    ...sumsOf(counts),
    inputAudioTokens: countOf(counts['input_audio_tokens']) ?? countOf(counts['input_audio']) ?? undefined,
    outputAudioTokens: countOf(counts['output_audio_tokens']) ?? countOf(counts['output_audio']) ?? undefined,
    cost,
  });
}

const DETAILS = ['prompt_tokens_details', 'completion_tokens_details', 'input_tokens_details', 'output_tokens_details'];

/** LangChain's handler writes tiers before the names (`input_flex_cache_read`), and Vertex AI's counts by modality. */
const CACHED = /^input_(?:.*cache_read|cached)|^cache_read_input|^cached_modality_/;
const WRITTEN = /cache_(?:creation|write)|ephemeral_/;
const REASONING = /reasoning|^thoughts_token/;
const TIER = /^input_(flex|priority)$/;

/** Sums of the buckets by what their names say; `undefined` where no bucket of that side has a count. */
function sumsOf(counts: Readonly<Record<string, unknown>>): ReadUsage {
  let inputTokens: number | undefined;
  let outputTokens: number | undefined;
  let cachedInputTokens: number | undefined;
  let cacheWriteTokens: number | undefined;
  let cacheWrite1hTokens: number | undefined;
  let reasoningTokens: number | undefined;
  let serviceTier: string | undefined;
  for (const bucket of Object.keys(counts)) {
    const count = countOf(counts[bucket]);
    if (count === null) continue;
    const name = bucket.toLowerCase();
    serviceTier ??= TIER.exec(name)?.[1];
    if (REASONING.test(name)) reasoningTokens = (reasoningTokens ?? 0) + count;
    if (CACHED.test(name)) cachedInputTokens = (cachedInputTokens ?? 0) + count;
    if (WRITTEN.test(name)) {
      cacheWriteTokens = (cacheWriteTokens ?? 0) + count;
      if (name.includes('1h')) cacheWrite1hTokens = (cacheWrite1hTokens ?? 0) + count;
    }
    if (/input|prompt|^cached_/.test(name)) inputTokens = (inputTokens ?? 0) + count;
    else if (/output|completion|^thoughts_/.test(name)) outputTokens = (outputTokens ?? 0) + count;
  }
  return {
    ...{ inputTokens, outputTokens, cachedInputTokens, cacheWriteTokens, cacheWrite1hTokens },
    ...{ reasoningTokens, serviceTier },
  };
}

function sumOfAmounts(costs: Readonly<Record<string, unknown>>): number | undefined {
  const amounts = Object.values(costs).flatMap((value) => amountOf(value) ?? []);
  return amounts.length === 0 ? undefined : amounts.reduce((sum, amount) => sum + amount, 0);
}
