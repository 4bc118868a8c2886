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
} from '@spandrel/plugin-api';
import { questionOf } from './question.js';
import { usageOf } from './usage.js';

/** The SDKs of Langfuse, version 3 and later in Python, 4 and later in JavaScript (docs/spec/otlp.md#langfuse). */
export default defineDialect({
  name: 'langfuse',
  setup: () => ({ claims: { attributes: ['langfuse.*'] }, read }),
});

function read({ attributes, name, startUnixNano }: OtelSpan): SpanReading {
  const kind = kindOf(textAt(attributes, TYPE), name);
  const { input, request } = questionOf(attributes, kind);
  const isOfInput = (member: string): boolean => input?.from?.includes(`${METADATA}.${member}`) === true;
  return {
    kind,
    model: textAt(attributes, MODEL),
    provider: name.startsWith(BY_CLIENT) ? 'openai' : undefined,
    usage: usageOf(attributes),
    input,
    output: takeAt(attributes, OUTPUT, looseJson),
    request,
    streaming: request?.value['stream'] === true ? true : undefined,
    timeToFirstTokenMs: timeToFirstTokenMs(attributes, startUnixNano),
    metadata: metadataOf(attributes, METADATA, isOfInput),
    failure: failureOf(attributes),
    session: idAt(attributes, SESSION),
    user: idAt(attributes, USER),
    tags: textsAt(attributes, 'langfuse.trace.tags'),
    traceName: textAt(attributes, TRACE_NAME),
    traceMetadata: traceMetadataOf(attributes),
  };
}

/** Names that the SDK's wrapper of OpenAI's client gives, the method behind. */
const BY_CLIENT = 'OpenAI.';
const TYPE = ['langfuse.observation.type'];
const MODEL = ['langfuse.observation.model.name'];
const METADATA = 'langfuse.observation.metadata';
const LEVEL = ['langfuse.observation.level'];
const STATUS_MESSAGE = ['langfuse.observation.status_message'];
const FIRST_TOKEN = ['langfuse.observation.completion_start_time'];
const OUTPUT = ['langfuse.observation.output'];
const SESSION = ['langfuse.session.id'];
const USER = ['langfuse.user.id'];
const TRACE_NAME = ['langfuse.trace.name'];

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
    const text = textAt(attributes, [name]);
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
  if (textAt(attributes, LEVEL) !== 'ERROR') return undefined;
  return textAt(attributes, STATUS_MESSAGE) ?? 'error';
}

/** The time of the first token is ISO 8601, JSON text or not. */
function timeToFirstTokenMs(attributes: OtelMap, startUnixNano: bigint): number | undefined {
  const text = textAt(attributes, FIRST_TOKEN);
  if (text === undefined || startUnixNano === 0n) return undefined;
  const reported = saidJson(text);
  const first = typeof reported === 'string' ? Date.parse(reported) : Number.NaN;
  const elapsed = first - Number(startUnixNano / 1_000_000n);
  return elapsed >= 0 ? elapsed : undefined;
}
