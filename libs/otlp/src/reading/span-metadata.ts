import { setMember, type OtelSpan, type SpanReading } from '@spandrel/plugin-api';
import { GivenNames } from './given-names.js';
import { isInputWhole } from './model-payloads.js';
import { otelMetadata } from './otel-metadata.js';
import { storableKey } from './storable-text.js';

/** Members of a span's metadata that are ours: a sender's members of these names stay among its attributes. */
const OWN: ReadonlySet<string> = new Set([
  ...['request', 'response_model', 'response_id', 'streaming', 'time_to_first_token_ms', 'reported_usage', 'otel'],
  ...['duration_ms', 'total_tokens', 'cost'],
]);

/** The sender's own metadata as members, what is known of the call beside it, and the rest under `otel`. */
export function spanMetadata(span: OtelSpan, reading: SpanReading): Record<string, unknown> {
  const metadata: Record<string, unknown> = {};
  const given = new GivenNames();
  if (isInputWhole(reading)) given.add(reading.input);
  given.add(reading.output);
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
