import { KEY_LENGTH_MAX, type IngestSpan, type SpanStatus } from '@spandrel/contract';
import {
  type OtelSpan,
  type SpanReading,
  completionOf,
  conversationOf,
  isCompletion,
  isConversation,
} from '@spandrel/plugin-api';
import { cutSpan, cutText } from './cut-span.js';
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
