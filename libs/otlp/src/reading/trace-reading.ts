import type { OtelMap, OtelSpan, SpanReading } from '@spandrel/plugin-api';
import { serviceOf, storedResource } from './resource.js';
import { isKeptKey, storableName } from './storable-text.js';
import { fittingMembers } from './fitting-members.js';

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
