/** Exports as senders were reported to write them, in OTLP's JSON. */
import { newTraceId } from './otlp-door.ts';

/** A value as OTLP's JSON has it. */
function anyValue(value: unknown): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number') return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  return { kvlistValue: { values: keyValues(value as object) } };
}

const keyValues = (members: object): object[] =>
  Object.entries(members).map(([key, value]) => ({ key, value: anyValue(value) }));

const START = 1_795_692_901_000_000_000n;

/** A span, and what its sender says beside it. */
export interface SentSpan {
  name: string;
  id?: string;
  parent?: string;
  kind?: number | string;
  attributes?: object;
  events?: { name: string; attributes: object }[];
  status?: object;
}

interface TracesBody {
  resourceSpans: [{ resource: object; scopeSpans: [{ scope: object; spans: object[] }] }];
}

/** An export of spans of one scope. */
export function tracesOf(
  scope: string,
  spans: readonly SentSpan[],
  resource: object = {},
): { traceId: string; body: TracesBody } {
  const traceId = newTraceId();
  const sent = spans.map(({ name, id, parent, kind = 1, attributes = {}, events = [], status = {} }, at) => ({
    traceId,
    spanId: id ?? spanIdOf(at),
    ...(parent !== undefined && { parentSpanId: parent }),
    name,
    kind,
    startTimeUnixNano: String(START + BigInt(at) * 1_000_000n),
    endTimeUnixNano: String(START + BigInt(at + 10) * 1_000_000n),
    attributes: keyValues(attributes),
    events: events.map((event, n) => ({
      name: event.name,
      timeUnixNano: String(START + BigInt(n)),
      attributes: keyValues(event.attributes),
    })),
    status,
  }));
  return {
    traceId,
    body: {
      resourceSpans: [
        {
          resource: { attributes: keyValues({ 'service.name': 'harbour', ...resource }) },
          scopeSpans: [{ scope: { name: scope }, spans: sent }],
        },
      ],
    },
  };
}

export const spanIdOf = (at: number): string => `5a${at.toString(16).padStart(14, '0')}`;

/** A log record of a span; its event is named by the field, or by an attribute as older senders do. */
export interface SentRecord {
  body?: unknown;
  eventName?: string;
  attributes?: object;
}

/** An export of log records about the first span of a trace. */
export function logsOf(traceId: string, records: readonly SentRecord[]): object {
  const logRecords = records.map(({ body, eventName, attributes = {} }, at) => ({
    timeUnixNano: String(START + BigInt(at)),
    traceId,
    spanId: spanIdOf(0),
    ...(eventName !== undefined && { eventName }),
    ...(body !== undefined && { body: anyValue(body) }),
    attributes: keyValues(attributes),
  }));
  return { resourceLogs: [{ scopeLogs: [{ scope: { name: 'test' }, logRecords }] }] };
}
