import { idOf, type OtelMap, type OtelSpan, type SpanReading } from '@spandrel/plugin-api';
import { jsonWeight } from '@spandrel/contract';
import type { Ranked, TraceAttributes } from '@spandrel/tracing';
import { isKeptKey, storableName, storedAttributes } from './stored-value.js';

/** Ranks of a trace's name, the smallest counts; 0 is what a person gives (`NAME_RANK` of tracing, which no thread loads). */
export const NAME_RANK = { dialect: 1, root: 2, span: 3 } as const;

/** Ranks of a session or a user: the attribute of the conventions, a dialect's own, the last resort, one of the resource. */
const KEY_RANK = { conventions: 1, dialect: 2, lastResort: 3, resource: 4 } as const;

/** What one span says about its trace (docs/spec/otlp.md#trace-attributes-from-spans). @param spanName as it is stored. */
export function traceReading(span: OtelSpan, reading: SpanReading, spanName: string): TraceAttributes {
  const { resource } = span;
  const session = rankedKey(span, SESSION, reading.session);
  const user = rankedKey(span, USER, reading.user);
  const tags = [...new Set(reading.tags?.filter(isKeptKey))];
  return {
    name: nameOf(span, reading, spanName),
    ...(session && { session }),
    ...(user && { user }),
    ...(tags.length > 0 && { tags }),
    ...(reading.traceMetadata && { metadata: fittingMembers(reading.traceMetadata.value) }),
    // A service without a name is ''.
    ...(resource.size > 0 && {
      resource: { service: serviceOf(resource) ?? '', attributes: storedResource(resource) },
    }),
  };
}

function nameOf(span: OtelSpan, { traceName, pendingOf }: SpanReading, spanName: string): Ranked {
  if (traceName !== undefined) return { value: storableName(traceName), rank: NAME_RANK.dialect };
  const parent = pendingOf === undefined ? span.parentSpanId : pendingOf.parentSpanId;
  const isRoot = parent === null || parent === span.spanId;
  return { value: spanName, rank: isRoot ? NAME_RANK.root : NAME_RANK.span };
}

/** The attribute of the conventions, and that of the last resort. */
type KeyNames = readonly [conventions: string, lastResort: string];

const SESSION: KeyNames = ['session.id', 'gen_ai.conversation.id'];
const USER: KeyNames = ['user.id', 'enduser.id'];

function rankedKey(
  { attributes, resource }: OtelSpan,
  names: KeyNames,
  ofDialect: string | undefined,
): Ranked | undefined {
  const [conventions, lastResort] = names;
  return (
    ranked(idOf(attributes.get(conventions)), KEY_RANK.conventions) ??
    ranked(ofDialect, KEY_RANK.dialect) ??
    ranked(idOf(attributes.get(lastResort)), KEY_RANK.lastResort) ??
    (resource.size === 0 ? undefined : ofResource(resource, names))
  );
}

function ofResource(resource: OtelMap, names: KeyNames): Ranked | undefined {
  for (const name of names) {
    const found = ranked(idOf(resource.get(name)), KEY_RANK.resource);
    if (found) return found;
  }
  return undefined;
}

const ranked = (value: string | undefined, rank: number): Ranked | undefined =>
  isKeptKey(value) ? { value, rank } : undefined;

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
