import { KEY_LENGTH_MAX, type IngestSpan, type SpanStatus } from '@spandrel/contract';
import {
  type OtelSpan,
  type SpanReading,
  completionOf,
  conversationOf,
  isCompletion,
  isConversation,
} from '@spandrel/plugin-api';
import type { DialectReader } from './dialect-reader.js';
import { spanKind, spanUsage, type SpanUsage } from './span-kind.js';
import { spanMetadata } from './span-metadata.js';
import { storableName } from './stored-value.js';
import type { TraceAttributes } from '@spandrel/tracing';
import { traceReading } from './trace-reading.js';

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
  // What is longer than any id is none.
  const isNone = parent === null || parent === id || parent.length > KEY_LENGTH_MAX;
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

/** What is left of a text that is cut. */
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
  /** In UTF-8. */
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
