import type { OtelMap, OtelScope, OtelValue, OtelDropped, OtelSpanKind, OtelStatus } from '@spandrel/plugin-api';
import type { ItemBudget } from './item-budget.js';

/** One log record of OpenTelemetry as its exporter sent it, whichever encoding it came in. Nothing in it may be changed. */
export interface OtelLogRecord {
  /** The field `event_name`, else the attribute `event.name` of older exporters; empty for a plain log line. */
  readonly eventName: string;
  /** Hex digits in lower case, as sent; empty for a record outside of any trace. */
  readonly traceId: string;
  /** Hex digits in lower case, as sent; empty for a record outside of any span. */
  readonly spanId: string;
  /** Nanoseconds since 1970: when it happened, else when it was observed; 0 when neither is given. */
  readonly timeUnixNano: bigint;
  readonly attributes: OtelMap;
  /** `null` for a record without one. */
  readonly body: OtelValue;
  readonly scope: OtelScope;
  readonly resource: OtelMap;
}

/** @param field `event_name` of the record; older exporters leave it empty and send the attribute `event.name`. */
export function eventNameOf(field: string, attributes: OtelMap): string {
  if (field !== '') return field;
  const named = attributes.get('event.name');
  return typeof named === 'string' ? named : '';
}

/** `Span.SpanKind` by its number; 0 is unspecified. */
export const SPAN_KINDS: readonly (OtelSpanKind | null)[] = [
  null,
  'internal',
  'server',
  'client',
  'producer',
  'consumer',
];

/** `Status.StatusCode` by its number. */
export const STATUS_CODES: readonly OtelStatus['code'][] = ['unset', 'ok', 'error'];

export const UNSET: OtelStatus = Object.freeze({ code: 'unset', message: '' });
export const NO_SCOPE: OtelScope = Object.freeze({ name: '', version: '' });
export const EMPTY_MAP: OtelMap = new Map();

/** @returns `null` for an id of zeros, or none at all: a span without a parent. */
export const parentOf = (id: string): string | null => (/^0*$/.test(id) ? null : id);

/** What the exporter left out of a span, and what was not kept of it here. */
export function droppedOf(items: ItemBudget, attributes: number, events: number, links: number): OtelDropped {
  const { passedOver } = items;
  return {
    attributes: attributes + passedOver.attributes,
    events: events + passedOver.events,
    links: links + passedOver.links,
  };
}
