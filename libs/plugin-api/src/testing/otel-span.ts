import type { OtelEvent, OtelMap, OtelSpan, OtelValue } from '../dialect/otel-span.js';
import { objectOf } from '../wire/lenient-json.js';

/** What tests say of a span of OpenTelemetry: whatever they leave out is as plain as can be. */
export interface PlainSpan extends Partial<
  Omit<OtelSpan, 'attributes' | 'events' | 'resource' | 'scope' | 'status' | 'links'>
> {
  /** Objects become maps; lists of numbers, texts and flags stay lists. */
  attributes?: Readonly<Record<string, unknown>>;
  events?: readonly { name: string; timeUnixNano?: bigint; attributes?: Readonly<Record<string, unknown>> }[];
  links?: readonly { traceId: string; spanId: string; attributes?: Readonly<Record<string, unknown>> }[];
  resource?: Readonly<Record<string, unknown>>;
  scope?: Partial<OtelSpan['scope']>;
  status?: Partial<OtelSpan['status']>;
}

const START = 1_795_338_000_000_000_000n;

/** A span of OpenTelemetry for a test: a second long, a child of another, completed. */
export function otelSpan(plain: PlainSpan): OtelSpan {
  const { attributes = {}, events = [], links = [], resource = {}, scope, status, ...rest } = plain;
  return {
    traceId: '0af7651916cd43dd8448eb211c80319c',
    spanId: 'b7ad6b7169203331',
    parentSpanId: '00f067aa0ba902b7',
    traceState: '',
    name: 'span',
    kind: 'internal',
    startUnixNano: START,
    endUnixNano: START + 1_000_000_000n,
    dropped: { attributes: 0, events: 0, links: 0 },
    ...rest,
    attributes: otelMap(attributes),
    events: events.map(({ name, timeUnixNano = START, attributes: own = {} }): OtelEvent => ({
      name,
      timeUnixNano,
      attributes: otelMap(own),
    })),
    links: links.map(({ attributes: own = {}, ...link }) => ({ ...link, attributes: otelMap(own) })),
    resource: otelMap(resource),
    scope: { name: '', version: '', ...scope },
    status: { code: 'unset', message: '', ...status },
  };
}

const otelMap = (plain: Readonly<Record<string, unknown>>): OtelMap =>
  new Map(Object.entries(plain).map(([name, value]) => [name, otelValue(value)]));

/** A plain value as a decoder gives it. */
export function otelValue(value: unknown): OtelValue {
  if (Array.isArray(value)) return value.map(otelValue);
  if (typeof value === 'object' && value !== null && !(value instanceof Uint8Array)) return otelMap(objectOf(value));
  return value === undefined ? null : (value as OtelValue);
}
