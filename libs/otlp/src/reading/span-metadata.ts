import {
  isAllMessages,
  setMember,
  type OtelSpan,
  type SpanReading,
  type Given,
  type OtelEvent,
} from '@spandrel/plugin-api';
import { storableKey, storedAttributes } from './stored-value.js';
import { serviceOf } from './trace-reading.js';

/** Members of a span's metadata that are ours: a sender's members of these names stay among its attributes. */
const OWN: ReadonlySet<string> = new Set([
  ...['request', 'response_model', 'response_id', 'streaming', 'time_to_first_token_ms', 'reported_usage', 'otel'],
  ...['duration_ms', 'total_tokens', 'cost'],
]);

/** The sender's own metadata as members, what is known of the call beside it, and the rest under `otel`. */
export function spanMetadata(span: OtelSpan, reading: SpanReading): Record<string, unknown> {
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
  /** Names of the span's attributes that are not stored. */
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
