import { isStorableText, KEY_LENGTH_MAX, type IngestSpan, type SpanStatus } from '@spandrel/contract';
import {
  type OtelSpan,
  type SpanReading,
  completionOf,
  conversationOf,
  isCompletion,
  isConversation,
  isAllMessages,
  setMember,
  type Given,
  type OtelEvent,
} from '@spandrel/plugin-api';
import type { DialectReader } from './dialect-reader.js';
import { spanKind, spanUsage, type SpanUsage } from './span-kind.js';
import { storableName, storableKey, storedAttributes } from './stored-value.js';
import type { TraceAttributes } from '@spandrel/tracing';
import { traceReading, serviceOf } from './trace-reading.js';

/** A span of OpenTelemetry as it is stored, with what it reports about its trace. */
export interface ReadSpan {
  /** Whole, as tracing's ingest takes it; a member that the span does not have is absent. */
  readonly span: IngestSpan;
  /** The counts and the cost that stand in `span.kind`; `null` when there are none. */
  readonly usage: SpanUsage | null;
  /** True for the running form of a span that is sent whole later: one that comes late changes nothing. */
  readonly isPending: boolean;
  readonly trace: TraceAttributes;
}

/**
 * Makes a span of Spandrel's of one of OpenTelemetry (docs/spec/otlp.md#what-a-span-becomes).
 * @param span with ids that are right and a start or an end; nothing of it is changed.
 * @param bytesMax bytes of JSON that a span may have; beyond it its longest texts are cut.
 */
export function readSpan(span: OtelSpan, dialects: DialectReader, bytesMax: number): ReadSpan {
  const reading = dialects.read(span);
  const usage = spanUsage(reading.usage);
  const name = storableName(span.name) || 'span';
  const payloads = cutSpan(payloadsOf(span, reading), bytesMax);
  const isPending = reading.pendingOf !== undefined;
  return {
    span: {
      ...idsOf(span, reading),
      name,
      kind: spanKind(span, reading, usage),
      status: spanStatus(span, reading),
      ...timesOf(span, isPending),
      ...payloads,
    },
    usage,
    isPending,
    trace: traceReading(span, reading, name),
  };
}

function idsOf({ traceId, spanId, parentSpanId }: OtelSpan, { pendingOf }: SpanReading) {
  const id = pendingOf?.spanId ?? spanId;
  const parent = pendingOf === undefined ? parentSpanId : pendingOf.parentSpanId;
  // What is longer than any id, or what no database holds, is none.
  const isNone = parent === null || parent === id || parent.length > KEY_LENGTH_MAX || !isStorableText(parent);
  return { id, trace_id: traceId, parent_id: isNone ? null : parent };
}

const NANOS_OF_MS = 1_000_000n;

/** Milliseconds; a missing start is the end, an end before the start is the start. */
function timesOf({ startUnixNano, endUnixNano }: OtelSpan, isPending: boolean) {
  const start = startUnixNano === 0n ? endUnixNano : startUnixNano;
  const startedAt = Number(start / NANOS_OF_MS);
  if (isPending || endUnixNano === 0n) return { started_at: startedAt };
  const end = endUnixNano < start ? start : endUnixNano;
  return { started_at: startedAt, ended_at: Number(end / NANOS_OF_MS) };
}

function payloadsOf(span: OtelSpan, reading: SpanReading) {
  const input = storedInput(reading);
  const output = storedOutput(reading);
  return {
    ...(input !== undefined && { input }),
    ...(output !== undefined && { output }),
    metadata: spanMetadata(span, reading),
  };
}

/** That of a call of a model is messages, whatever a dialect gave. */
function storedInput({ kind, input }: SpanReading): unknown {
  if (input === undefined) return undefined;
  return kind?.type === 'llm_call' && !isConversation(input.value) ? conversationOf(input.value) : input.value;
}

/** That of a call of a model is a completion, whatever a dialect gave. */
function storedOutput({ kind, output }: SpanReading): unknown {
  if (output === undefined) return undefined;
  if (kind?.type !== 'llm_call' || isCompletion(output.value)) return output.value;
  return completionOf(spoken(output.value));
}

/** What is no message is what the model said. */
function spoken(value: unknown): unknown {
  const messages = conversationOf(value);
  const [only] = messages;
  if (messages.length !== 1 || only?.role !== 'user') return messages;
  return [{ ...only, role: 'assistant' }];
}

/** How a span ended: it runs as long as it has no end, and failed where its status or a dialect says so. */
function spanStatus(span: OtelSpan, { failure, pendingOf }: SpanReading): SpanStatus {
  if (pendingOf !== undefined || span.endUnixNano === 0n) return 'running';
  if (span.status.code === 'error') return { failed: { error: cutText(failureOf(span, failure)) } };
  return failure === undefined ? 'completed' : { failed: { error: cutText(failure) } };
}

function failureOf({ status, events, attributes }: OtelSpan, failure: string | undefined): string {
  if (status.message !== '') return status.message;
  if (failure !== undefined) return failure;
  for (const member of ['exception.message', 'exception.type']) {
    for (const event of events) {
      const logged = event.name === 'exception' ? event.attributes.get(member) : undefined;
      if (typeof logged === 'string' && logged !== '') return logged;
    }
  }
  const type = attributes.get('error.type');
  return typeof type === 'string' && type !== '' ? type : 'error';
}

const TEXT_MAX = 65_536;

interface LargeMembers {
  input?: unknown;
  output?: unknown;
  metadata: Record<string, unknown>;
}

/**
 * Cuts the longest texts of a span that is larger than a span may be to 64 KiB each, and names them in
 * `metadata.otel.truncated` (docs/spec/otlp.md#large-spans).
 * @returns the members as given where they are small enough.
 */
function cutSpan<Members extends LargeMembers>(members: Members, bytesMax: number): Members {
  let over = jsonBytes(members) - bytesMax;
  if (over <= 0) return members;
  const places: TextPlace[] = [];
  const copy = copied(
    { input: members.input, output: members.output, metadata: members.metadata },
    '',
    places,
  ) as LargeMembers;
  const truncated: string[] = [];
  for (const { text, bytes, path, set } of places.sort((a, b) => b.bytes - a.bytes)) {
    if (over <= 0 || bytes <= TEXT_MAX) break;
    const left = cutText(text);
    set(left);
    over -= bytes - Buffer.byteLength(left);
    truncated.push(path);
  }
  const otel = copy.metadata['otel'] as Record<string, unknown>;
  otel['truncated'] = truncated;
  return {
    ...members,
    ...(members.input !== undefined && { input: copy.input }),
    ...(members.output !== undefined && { output: copy.output }),
    metadata: copy.metadata,
  };
}

interface TextPlace {
  path: string;
  text: string;
  bytes: number;
  set: (text: string) => void;
}

const jsonBytes = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** At most 64 KiB of a text in UTF-8, without half a character at the end. */
function cutText(text: string): string {
  if (text.length <= TEXT_MAX / 3) return text;
  const bytes = Buffer.from(text);
  let end = Math.min(bytes.length, TEXT_MAX);
  while (end > 0 && end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end--;
  return bytes.toString('utf8', 0, end);
}

/** A copy, so that what dialects gave stays as it is, with every long text and its place. */
function copied(value: unknown, path: string, places: TextPlace[]): unknown {
  if (Array.isArray(value)) {
    const list: unknown[] = [];
    for (const [at, item] of value.entries()) copyInto(list, String(at), item, path, places);
    return list;
  }
  if (typeof value !== 'object' || value === null || JSON.isRawJSON(value) || value instanceof Map) return value;
  const object: Record<string, unknown> = {};
  for (const [name, item] of Object.entries(value)) copyInto(object, name, item, path, places);
  return object;
}

function copyInto(target: object, name: string, item: unknown, path: string, places: TextPlace[]): void {
  const own = path === '' ? name : `${path}.${name}`;
  const set = (value: unknown): void => {
    Object.defineProperty(target, name, { value, enumerable: true, configurable: true, writable: true });
  };
  if (typeof item === 'string' && item.length > TEXT_MAX / 3) {
    places.push({ path: own, text: item, bytes: Buffer.byteLength(item), set });
  }
  set(copied(item, own, places));
}

/** Members of a span's metadata that are ours: a sender's members of these names stay among its attributes. */
const OWN: ReadonlySet<string> = new Set([
  ...['request', 'response_model', 'response_id', 'streaming', 'time_to_first_token_ms', 'reported_usage', 'otel'],
  ...['duration_ms', 'total_tokens', 'cost'],
]);

/** The sender's own metadata as members, what is known of the call beside it, and the rest under `otel`. */
function spanMetadata(span: OtelSpan, reading: SpanReading): Record<string, unknown> {
  const metadata: Record<string, unknown> = {};
  const given = new GivenNames();
  for (const one of [reading.input, reading.output]) if (isWhole(reading, one)) given.add(one);
  given.add(reading.request);
  given.add(reading.traceMetadata);
  if (addMembers(metadata, reading.metadata?.value)) given.add(reading.metadata);
  if (reading.request !== undefined) metadata['request'] = reading.request.value;
  if (reading.responseModel !== undefined) metadata['response_model'] = storableKey(reading.responseModel);
  if (reading.responseId !== undefined) metadata['response_id'] = reading.responseId;
  if (reading.streaming !== undefined) metadata['streaming'] = reading.streaming;
  if (reading.timeToFirstTokenMs !== undefined) {
    metadata['time_to_first_token_ms'] = Math.round(reading.timeToFirstTokenMs);
  }
  metadata['otel'] = otelMetadata(span, given);
  return metadata;
}

/** @returns whether all of them could be added. */
function addMembers(
  metadata: Record<string, unknown>,
  members: Readonly<Record<string, unknown>> | undefined,
): boolean {
  let all = true;
  for (const name of Object.keys(members ?? {})) {
    if (OWN.has(name)) all = false;
    else setMember(metadata, name, members![name]);
  }
  return all;
}

/** What OpenTelemetry reported about a span and no other member has: `metadata.otel` (docs/spec/otlp.md#metadata). */
function otelMetadata(span: OtelSpan, given: GivenNames): Record<string, unknown> {
  const { scope, events, links, dropped } = span;
  const service = serviceOf(span.resource);
  const otel: Record<string, unknown> = {
    ...(service !== null && { service }),
    scope: { name: scope.name, version: scope.version },
    kind: span.kind,
    start_unix_nano: span.startUnixNano.toString(),
    end_unix_nano: span.endUnixNano.toString(),
  };
  if (span.traceState !== '') otel['trace_state'] = span.traceState;
  const names = given.attributes;
  otel['attributes'] = storedAttributes(span.attributes, names.size === 0 ? undefined : (name) => names.has(name));
  if (events.length > 0) {
    otel['events'] = events.map((event) => ({
      name: event.name,
      time_unix_nano: event.timeUnixNano.toString(),
      attributes: storedAttributes(event.attributes, (name) => given.hasOfEvent(span, event, name)),
    }));
  }
  if (links.length > 0) {
    otel['links'] = links.map(({ traceId, spanId, attributes }) => ({
      trace_id: traceId,
      span_id: spanId,
      attributes: storedAttributes(attributes),
    }));
  }
  if (dropped.attributes + dropped.events + dropped.links > 0) otel['dropped'] = { ...dropped };
  return otel;
}

/** What of a span stands in its input, output or metadata already, and is not stored a second time. */
class GivenNames {
  readonly attributes = new Set<string>();
  private readonly events = new Set<string>();

  add(given: Given | undefined): void {
    if (given === undefined) return;
    if (Array.isArray(given.from)) for (const name of given.from) this.attributes.add(name);
    if (Array.isArray(given.fromEvents)) for (const name of given.fromEvents) this.events.add(name);
  }

  /** Whether an attribute of an event is not stored: as part of its body, or as the value that was taken. */
  hasOfEvent(span: OtelSpan, event: OtelEvent, name: string): boolean {
    if (this.events.has(event.name) && (name === CONTENT || !name.includes('.'))) return true;
    return this.attributes.has(name) && firstOf(span, name) === event.attributes.get(name);
  }
}

/** Dialects take the span's own attribute, else that of the first event that has it. */
function firstOf({ attributes, events }: OtelSpan, name: string): unknown {
  if (attributes.has(name)) return attributes.get(name);
  return events.find((event) => event.attributes.has(name))?.attributes.get(name);
}

/** The attribute of an event that has the members of its body. */
const CONTENT = 'gen_ai.event.content';

/** Whether what is stored has all of what was given: of an object with messages, these and the system prompt are kept. */
const isWhole = ({ kind }: SpanReading, given: Given | undefined): boolean =>
  kind?.type !== 'llm_call' || isAllMessages(given?.value);
