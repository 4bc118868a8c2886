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
  readUsageBuckets,
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
const metadataOf = (attributes: OtelMap, name: string, leave?: (member: string) => boolean): GivenMembers | undefined =>
  takeMembers(attributes, `${name}.`, leave, looseJson) ?? takeObject(attributes, name);

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

function usageOf(attributes: OtelMap): ReadUsage | undefined {
  return readUsageBuckets(
    takeAt(attributes, 'langfuse.observation.usage_details', saidJson)?.value,
    takeAt(attributes, 'langfuse.observation.cost_details', saidJson)?.value,
  );
}
