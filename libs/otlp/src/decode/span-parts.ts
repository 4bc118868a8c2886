import type { OtelDropped, OtelMap, OtelScope, OtelSpanKind, OtelStatus } from '@spandrel/plugin-api';
import type { ItemBudget } from './item-budget.js';

/** `Span.SpanKind` by its number; 0 is not told. */
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
