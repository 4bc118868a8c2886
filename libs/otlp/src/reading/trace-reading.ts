import type { OtelMap, OtelSpan, SpanReading } from '@spandrel/plugin-api';
import { jsonWeight } from '@spandrel/contract';
import { isKeptKey, storableName, storedAttributes } from './stored-value.js';

/** A value with how much it counts against others: a higher rank replaces a lower one, of equal rank the first stays. */
export interface Ranked {
  readonly value: string;
  readonly rank: number;
}

/** Ranks of a trace's name among those that spans give; what a person gives counts more than any. */
export const NAME_RANK = { anySpan: 1, rootSpan: 2, dialect: 3 } as const;

/** Ranks of a session or a user: the attribute of the conventions, a dialect's own, the last resort. */
const KEY_RANK = { lastResort: 1, dialect: 2, conventions: 3 } as const;

/** What one span tells of its trace (docs/spec/otlp.md#trace-attributes-from-spans). */
export interface TraceReading {
  readonly name: Ranked;
  readonly session: Ranked | null;
  readonly user: Ranked | null;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>> | null;
  /** `null` where the resource has no attributes; a service without a name is `''`. */
  readonly resource: { readonly service: string; readonly attributes: Readonly<Record<string, unknown>> } | null;
}

/** @param spanName as it is stored. */
export function traceReading(span: OtelSpan, reading: SpanReading, spanName: string): TraceReading {
  const { attributes, resource } = span;
  return {
    name: nameOf(span, reading, spanName),
    session: rankedKey(attributes, 'session.id', reading.session, 'gen_ai.conversation.id'),
    user: rankedKey(attributes, 'user.id', reading.user, 'enduser.id'),
    tags: reading.tags === undefined ? NO_TAGS : [...new Set(reading.tags.filter(isKeptKey))],
    metadata: reading.traceMetadata ? fittingMembers(reading.traceMetadata.value) : null,
    resource: resource.size === 0 ? null : { service: serviceOf(resource) ?? '', attributes: storedResource(resource) },
  };
}

const NO_TAGS: readonly string[] = Object.freeze([]);

function nameOf(span: OtelSpan, { traceName, pendingOf }: SpanReading, spanName: string): Ranked {
  if (traceName !== undefined) return { value: storableName(traceName), rank: NAME_RANK.dialect };
  const parent = pendingOf === undefined ? span.parentSpanId : pendingOf.parentSpanId;
  const isRoot = parent === null || parent === span.spanId;
  return { value: spanName, rank: isRoot ? NAME_RANK.rootSpan : NAME_RANK.anySpan };
}

function rankedKey(attributes: OtelMap, first: string, ofDialect: string | undefined, last: string): Ranked | null {
  const conventional = attributes.get(first);
  if (isKeptKey(conventional)) return { value: conventional, rank: KEY_RANK.conventions };
  if (isKeptKey(ofDialect)) return { value: ofDialect, rank: KEY_RANK.dialect };
  const resort = attributes.get(last);
  return isKeptKey(resort) ? { value: resort, rank: KEY_RANK.lastResort } : null;
}

/** `service.name`, or `null` where the resource has none. */
export function serviceOf(resource: OtelMap): string | null {
  const name = resource.get('service.name');
  return typeof name === 'string' && name !== '' ? storableName(name) : null;
}

/** Spans of one export share a resource, so what is stored of it is made once. */
const stored = new WeakMap<OtelMap, Readonly<Record<string, unknown>>>();

/** The attributes of a resource as they are stored; the same object for the same resource, which nobody may change. */
function storedResource(resource: OtelMap): Readonly<Record<string, unknown>> {
  const known = stored.get(resource);
  if (known !== undefined) return known;
  const attributes = fittingMembers(storedAttributes(resource));
  stored.set(resource, attributes);
  return attributes;
}

/** How much a trace may get of one kind from a span, as `jsonWeight` counts: each span of the trace reads it. */
const WEIGHT_MAX = 65_536;

/** The members that a trace gets from one of its spans: the first ones that fit (docs/spec/otlp.md#large-spans). */
export function fittingMembers(members: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  if (jsonWeight(members, WEIGHT_MAX) <= WEIGHT_MAX) return members;
  let left = WEIGHT_MAX;
  const kept = Object.entries(members).filter(([name, value]) => {
    const weight = name.length + jsonWeight(value, left);
    if (weight > left) return false;
    left -= weight;
    return true;
  });
  return Object.fromEntries(kept);
}
