/** Small exports of one span or record, as tests write them. */
import { createHash } from 'node:crypto';

type Attributes = Readonly<Record<string, string | number>>;

/** Hex digits that are always the same for a name. */
const hex = (name: string, digits: number): string => createHash('sha256').update(name).digest('hex').slice(0, digits);
export const traceIdOf = (name: string): string => hex(name, 32);
export const spanIdOf = (name: string): string => hex(name, 16);

const nanosOf = (epochMs: number): string => `${BigInt(epochMs) * 1_000_000n}`;
const keyValues = (attributes: Attributes): object[] =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value:
      typeof value === 'string'
        ? { stringValue: value }
        : { [Number.isInteger(value) ? 'intValue' : 'doubleValue']: value },
  }));

export interface SpanOptions {
  trace: string;
  span: string;
  parent?: string;
  scope?: string;
  startedAt?: number;
  attributes?: Attributes;
  events?: readonly { name: string; at: number; attributes: Attributes }[];
}

/** An export of one span, a call of a model unless `attributes` say otherwise. */
export function spanExport({
  trace,
  span,
  parent,
  scope = 'test',
  startedAt = START,
  attributes,
  events = [],
}: SpanOptions): object {
  return {
    resourceSpans: [
      {
        scopeSpans: [
          {
            scope: { name: scope },
            spans: [
              {
                traceId: traceIdOf(trace),
                spanId: spanIdOf(span),
                ...(parent !== undefined && { parentSpanId: spanIdOf(parent) }),
                name: span,
                startTimeUnixNano: nanosOf(startedAt),
                endTimeUnixNano: nanosOf(startedAt + 1_000),
                attributes: keyValues(attributes ?? { 'gen_ai.operation.name': 'chat' }),
                events: events.map(({ name, at, attributes: own }) => ({
                  ...{ name, timeUnixNano: nanosOf(at), attributes: keyValues(own) },
                })),
              },
            ],
          },
        ],
      },
    ],
  };
}

export const START = Date.UTC(2026, 10, 22, 12);

export interface RecordOptions {
  trace: string;
  span: string;
  event: string;
  at?: number;
  body: Attributes;
}

/** An export of one log record. */
export function logExport({ trace, span, event, at = START, body }: RecordOptions): object {
  const record = {
    timeUnixNano: nanosOf(at),
    eventName: event,
    traceId: traceIdOf(trace),
    spanId: spanIdOf(span),
    body: { kvlistValue: { values: keyValues(body) } },
  };
  return { resourceLogs: [{ scopeLogs: [{ scope: { name: 'test' }, logRecords: [record] }] }] };
}
