import { createHash } from 'node:crypto';
import type { MaskingCalls } from '@spandrel/masking';
import { plainMap, type OtelEvent, type OtelMap, type OtelSpan, type OtelValue } from '@spandrel/plugin-api';
import type { OtelLogRecord } from '../decode/otel-log-record.js';
import type { OtlpEventRow } from './otlp-event.entity.js';

/** What somebody else found out about a call: it brings neither input nor output, and is kept as an event of the span. */
const EVALUATION = 'gen_ai.evaluation.result';

/** Whether an event is kept as an event of its span. */
export const isKeptEvent = (name: unknown): boolean => name === EVALUATION;

/** Log records that tell of calls of models; all others are not kept. */
const EVENT_NAMES: ReadonlySet<string> = new Set([
  ...['gen_ai.system.message', 'gen_ai.user.message', 'gen_ai.assistant.message', 'gen_ai.tool.message'],
  ...['gen_ai.choice', 'gen_ai.content.prompt', 'gen_ai.content.completion', EVALUATION],
  'gen_ai.client.inference.operation.details',
]);

/** Whether a record is an event of a span that spans are read with. */
export const isSpanEvent = ({ eventName }: OtelLogRecord): boolean => EVENT_NAMES.has(eventName);

/**
 * The rows of records of one export; a record that comes again has the same id, and the second of two that are equal one of
 * its own.
 * @param position of the first of them in the export.
 * @param attributes of each record, as they may be stored.
 */
export function eventRows(
  records: readonly OtelLogRecord[],
  projectId: string,
  cameAt: number,
  position: number,
  attributes: readonly unknown[] = records.map(attributesOf),
): OtlpEventRow[] {
  const met = new Map<string, number>();
  return records.map((record, at) => {
    const row = eventRow(record, attributes[at], projectId, cameAt, position + at);
    const name = `${row.traceId} ${row.spanId} ${row.id}`;
    const earlier = met.get(name) ?? 0;
    met.set(name, earlier + 1);
    return earlier === 0 ? row : { ...row, id: `${row.id}.${earlier}` };
  });
}

function eventRow(
  record: OtelLogRecord,
  attributes: unknown,
  projectId: string,
  cameAt: number,
  position: number,
): OtlpEventRow {
  const event = JSON.stringify({ name: record.eventName, attributes });
  const time = String(record.timeUnixNano).padStart(20, '0');
  const id = createHash('sha256').update(`${time} ${event}`).digest('base64url').slice(0, 22);
  const { traceId, spanId } = record;
  return { projectId, traceId, spanId, id, time, event, cameAt, position, merged: 0 };
}

/** Which of them are input, output or neither is not known before the span is read. */
export const maskAttributes = (masking: MaskingCalls, told: readonly unknown[]): unknown[] =>
  told.map((attributes) => masking.json(attributes, 'input', 'output', 'metadata'));

/** The members of a record's body beside its attributes, as a span event has them. */
export function attributesOf({ attributes, body }: OtelLogRecord): Record<string, unknown> {
  return plainMap(body instanceof Map ? new Map([...(body as OtelMap), ...attributes]) : attributes);
}

/** The span event that a row is. */
export function eventOfRow({ time, event }: OtlpEventRow): OtelEvent {
  const { name, attributes } = JSON.parse(event) as { name: string; attributes: Record<string, unknown> };
  return { name, timeUnixNano: BigInt(time), attributes: mapOf(attributes) };
}

function valueOf(value: unknown): OtelValue {
  if (Array.isArray(value)) return value.map(valueOf);
  return typeof value === 'object' && value !== null ? mapOf(value) : (value as OtelValue);
}

const mapOf = (members: object): OtelMap =>
  new Map(Object.entries(members).map(([name, value]) => [name, valueOf(value)]));

const NOTHING: OtelMap = new Map();

/** A span of which nothing but events is known: what dialects read of it is what the events tell. */
export const spanOfEvents = (traceId: string, spanId: string, events: readonly OtelEvent[]): OtelSpan => ({
  traceId,
  spanId,
  parentSpanId: null,
  traceState: '',
  name: '',
  kind: null,
  startUnixNano: events[0]?.timeUnixNano ?? 0n,
  endUnixNano: events.at(-1)?.timeUnixNano ?? 0n,
  attributes: NOTHING,
  events,
  links: [],
  status: { code: 'unset', message: '' },
  dropped: { attributes: 0, events: 0, links: 0 },
  scope: { name: '', version: '' },
  resource: NOTHING,
});
