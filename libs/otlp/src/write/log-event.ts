import { createHash } from 'node:crypto';
import { Turn } from '@spandrel/kernel';
import type { MaskingCalls } from '@spandrel/masking';
import {
  looseJson,
  objectOf,
  plainMap,
  plainValue,
  type OtelEvent,
  type OtelMap,
  type OtelSpan,
  type OtelValue,
} from '@spandrel/plugin-api';
import { jsonText, writtenAhead } from '@spandrel/storage';
import type { OtelLogRecord } from '../decode/otel-records.js';
import type { DialectReader } from '../reading/dialect-reader.js';
import { readSpan } from '../reading/read-span.js';
import type { LogContents } from './log-members.js';
import type { ReadEvent, SpanName } from './otlp-event.store.js';
import { idFault } from './span-record.js';
import type { OtlpEventRow } from './otlp-event.entity.js';

/** What somebody else found out about a call: it brings neither input nor output, and is kept as an event of the span. */
export const EVALUATION = 'gen_ai.evaluation.result';

/** A message of any role: `gen_ai.user.message`. */
const MESSAGE = /^gen_ai\.[a-z_]+\.message$/;

/** Other log records about calls of models; all others are not kept. */
const EVENT_NAMES: ReadonlySet<string> = new Set([
  ...['gen_ai.choice', 'gen_ai.content.prompt', 'gen_ai.content.completion', EVALUATION],
  'gen_ai.client.inference.operation.details',
]);

/** Whether a record is an event of a span that spans are read with. */
export const isSpanEvent = ({ eventName }: OtelLogRecord): boolean =>
  EVENT_NAMES.has(eventName) || MESSAGE.test(eventName);

/** A log record as it is kept; its time is nanoseconds since 1970. */
export interface EventRecord {
  readonly eventName: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly time: string;
  readonly attributes: Readonly<Record<string, unknown>>;
}

/** A record whose attributes are not masked yet. */
export const eventRecord = ({ attributes, body, ...record }: OtelLogRecord): EventRecord => ({
  eventName: record.eventName,
  traceId: record.traceId,
  spanId: record.spanId,
  time: String(record.timeUnixNano),
  // The members of its body stand beside its attributes, as a span event has them.
  attributes: { ...membersOfBody(body), ...plainMap(attributes) },
});

/** The members of a body, also of one that is JSON text of an object; any other is the member `body`. */
function membersOfBody(body: OtelValue): Readonly<Record<string, unknown>> {
  if (body === null) return {};
  const value = typeof body === 'string' ? looseJson(body) : plainValue(body);
  return objectOf(value) === value ? objectOf(value) : { body: value };
}

/** Why a log record is not kept; `undefined` when it is. */
export const logFault = (record: OtelLogRecord): string | undefined =>
  isSpanEvent(record) ? idFault(record) : 'log records other than events of model calls are not kept';

/**
 * The rows of records of one export; a record that comes again has the same id, and the second of two that are equal one of
 * its own. Others have their turn meanwhile.
 * @param records with attributes as they may be stored.
 * @param position of the first of them in the export.
 */
export async function eventRows(
  records: readonly EventRecord[],
  projectId: string,
  cameAt: number,
  position: number,
): Promise<OtlpEventRow[]> {
  const met = new Map<string, number>();
  const rows: OtlpEventRow[] = [];
  const turn = new Turn();
  for (const [at, record] of records.entries()) {
    const row = await eventRow(record, projectId, cameAt, position + at);
    const name = `${row.traceId} ${row.spanId} ${row.id}`;
    const earlier = met.get(name) ?? 0;
    met.set(name, earlier + 1);
    rows.push(earlier === 0 ? row : { ...row, id: `${row.id}.${earlier}` });
    if (turn.isOver()) await turn.next();
  }
  return rows;
}

async function eventRow(
  record: EventRecord,
  projectId: string,
  cameAt: number,
  position: number,
): Promise<OtlpEventRow> {
  const { eventName: name, traceId, spanId, attributes } = record;
  const event = jsonText(await writtenAhead({ name, attributes }));
  const time = record.time.padStart(20, '0');
  const id = createHash('sha256').update(`${time} ${event}`).digest('base64url').slice(0, 22);
  return { projectId, traceId, spanId, id, time, event, cameAt, position, merged: 0 };
}

/** Which of them are input, output or neither is not known before the span is read. */
export const maskRecords = (masking: MaskingCalls, logged: readonly EventRecord[]): EventRecord[] =>
  logged.map((record) => ({ ...record, attributes: masking.json(record.attributes, 'input', 'output', 'metadata') }));

export function eventOfRow({ time, event }: ReadEvent): OtelEvent {
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

/**
 * A span of which nothing but events is known: what dialects read of it is what the events say.
 * @public `test/otlp/record-fixtures.ts` records what it returns.
 */
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

/** What the events of one span contain. @param rows in the order in which they happened. */
export function membersFromEvents(
  { traceId, spanId }: SpanName,
  rows: readonly ReadEvent[],
  dialects: DialectReader,
  bytesMax: number,
): LogContents {
  const events = rows.map(eventOfRow);
  const { input, output, metadata } = readSpan(spanOfEvents(traceId, spanId, events), dialects, bytesMax).span;
  return {
    input,
    output,
    count: events.filter(({ name }) => name !== EVALUATION).length,
    events: ((metadata?.['otel'] as { events?: StoredEvent[] } | undefined)?.events ?? [])
      .filter(saysMore)
      .map((event) => ({ ...event, from_logs: true })),
  };
}

type StoredEvent = Readonly<Record<string, unknown>> & { name: string; attributes: Readonly<Record<string, unknown>> };

/** Whether an event is kept as one of its span: what somebody else found out, or more than input and output have. */
const saysMore = ({ name, attributes }: StoredEvent): boolean =>
  name === EVALUATION || Object.keys(attributes).some((attribute) => attribute !== 'event.name');
