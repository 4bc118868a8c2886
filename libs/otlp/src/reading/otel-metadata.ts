import type { OtelSpan } from '@spandrel/plugin-api';
import type { GivenNames } from './given-names.js';
import { serviceOf } from './resource.js';
import { storedAttributes } from './stored-value.js';

/** What OpenTelemetry told of a span and no other member of it has: `metadata.otel` (docs/spec/otlp.md#metadata). */
export function otelMetadata(span: OtelSpan, given: GivenNames): Record<string, unknown> {
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
  if (events.length > 0) otel['events'] = events.map((event) => storedEvent(span, event, given));
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

function storedEvent(span: OtelSpan, event: OtelSpan['events'][number], given: GivenNames): Record<string, unknown> {
  return {
    name: event.name,
    time_unix_nano: event.timeUnixNano.toString(),
    attributes: storedAttributes(event.attributes, (name) => given.hasOfEvent(span, event, name)),
  };
}
