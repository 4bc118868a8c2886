import { TAGS_MAX } from '@spandrel/contract';
import { objectFromJsonText } from '@spandrel/storage';
import { changedRow, originsOf, originsText, sorted, type Origin, type Origins } from './trace-row.js';
import type { TraceRow } from '../trace.entity.js';

/** Resources of one trace. */
const RESOURCES_MAX = 16;

/** A value of which one counts: that of the smallest rank, and within it that of the span which started first. */
export interface Ranked {
  /** From 1; 0 is what native calls give. */
  readonly rank: number;
  readonly value: string;
}

export interface TraceAttributes {
  readonly name?: Ranked;
  readonly session?: Ranked;
  readonly user?: Ranked;
  readonly tags?: readonly string[];
  /** Each member on its own: for one reported twice the value of the span which started first counts. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Becomes `metadata.otel.resources.<service>`. */
  readonly resource?: { readonly service: string; readonly attributes: Readonly<Record<string, unknown>> };
}

/** The span that reports them. */
interface AttributeSource {
  /** Orders spans by their start: text that compares as the nanoseconds do, with the span id behind it. */
  readonly order: string;
  readonly startedAt: number;
  /** A form of the span that changes nothing of a stored one: it does not replace what the span reported before. */
  readonly weak: boolean;
}

/**
 * The trace with what one of its spans reported about it. Whatever the order in which spans come, and however often, the outcome is
 * one, but for tags beyond the limit, where those that came first stay.
 * @returns the same row when nothing differs.
 */
export function mergeTraceAttributes(trace: TraceRow, attributes: TraceAttributes, source: AttributeSource): TraceRow {
  const origins = originsOf(trace);
  const wins = (before: Origin | undefined, rank: number): boolean => {
    if (!before || rank !== before[0]) return !before || rank < before[0];
    return source.weak ? source.order < before[1] : source.order <= before[1];
  };
  const next = { ...trace };
  const choose = (member: 'name' | 'session' | 'user', column: 'name' | 'sessionId' | 'userId'): void => {
    const reported = attributes[member];
    if (!reported || !wins(origins[member], reported.rank)) return;
    next[column] = reported.value;
    origins[member] = [reported.rank, source.order];
  };
  choose('name', 'name');
  choose('session', 'sessionId');
  choose('user', 'userId');
  if (attributes.tags) next.tags = mergeTags(trace, origins.tags, attributes.tags);
  if (attributes.metadata || attributes.resource) next.metadata = mergeMetadata(trace, origins, attributes, source);
  if (origins.openStart) next.startedAt = Math.min(trace.startedAt, source.startedAt);
  next.origins = originsText(origins);
  return changedRow(trace, next);
}

function mergeTags(trace: TraceRow, givenCount: number, tags: readonly string[]): string {
  const before = JSON.parse(trace.tags) as string[];
  const known = new Set(before);
  const added = [...new Set(tags)].filter((tag) => !known.has(tag)).slice(0, Math.max(0, TAGS_MAX - before.length));
  if (added.length === 0) return trace.tags;
  return JSON.stringify([...before.slice(0, givenCount), ...[...before.slice(givenCount), ...added].toSorted()]);
}

function mergeMetadata(
  trace: TraceRow,
  origins: Origins,
  attributes: TraceAttributes,
  source: AttributeSource,
): string {
  const isFirst = (order: string | undefined): boolean =>
    order === undefined || source.order < order || (source.order === order && !source.weak);
  if (!hasEarlier(origins, attributes, isFirst)) return trace.metadata;
  const before = objectFromJsonText(trace.metadata);
  for (const [member, value] of Object.entries(attributes.metadata ?? {})) {
    const given = Object.hasOwn(before, member) && !Object.hasOwn(origins.metadata, member);
    if (given || member === 'otel' || !isFirst(ownValue(origins.metadata, member))) continue;
    setOwn(before, member, value);
    setOwn(origins.metadata, member, source.order);
  }
  if (attributes.resource) mergeResource(before, origins, attributes.resource, source.order, isFirst);
  return JSON.stringify(inOneOrder(before, origins));
}

/** Whether anything is new compared with earlier spans: for most spans nothing is, and the metadata need not be read. */
function hasEarlier(
  origins: Origins,
  { metadata, resource }: TraceAttributes,
  isFirst: (order: string | undefined) => boolean,
): boolean {
  if (resource && isFirst(ownValue(origins.resources, resource.service))) return true;
  return Object.keys(metadata ?? {}).some((member) => isFirst(ownValue(origins.metadata, member)));
}

/** Keeps the resources that were reported first in time, when there are more than are kept. */
function mergeResource(
  metadata: Record<string, unknown>,
  origins: Origins,
  { service, attributes }: NonNullable<TraceAttributes['resource']>,
  order: string,
  isFirst: (order: string | undefined) => boolean,
): void {
  if (metadata['otel'] !== undefined && !isJsonObject(metadata['otel'])) return;
  if (!isFirst(ownValue(origins.resources, service))) return;
  const otel = metadata['otel'] ?? {};
  const resources = { ...(isJsonObject(otel['resources']) ? otel['resources'] : {}) };
  setOwn(resources, service, attributes);
  setOwn(origins.resources, service, order);
  const last = Object.entries(origins.resources).toSorted(([, a], [, b]) => (a < b ? -1 : 1))[RESOURCES_MAX]?.[0];
  if (last !== undefined) {
    delete resources[last];
    delete origins.resources[last];
  }
  metadata['otel'] = { ...otel, resources: sorted(resources) };
}

/** Given members in their own order, then reported ones by name: one order, whichever span came first. */
function inOneOrder(metadata: Record<string, unknown>, origins: Origins): Record<string, unknown> {
  const isReported = (member: string): boolean => Object.hasOwn(origins.metadata, member);
  const { otel, ...others } = metadata;
  const given = Object.entries(others).filter(([member]) => !isReported(member));
  const reported = sorted(Object.fromEntries(Object.entries(others).filter(([member]) => isReported(member))));
  return { ...Object.fromEntries(given), ...reported, ...(otel !== undefined && { otel }) };
}

/** A member that the object has itself: names like `__proto__` may be reported, too. */
const ownValue = (members: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(members, name) ? members[name] : undefined;

const setOwn = (members: object, name: string, value: unknown): void =>
  void Object.defineProperty(members, name, { value, enumerable: true, configurable: true, writable: true });

/** Whether a value of JSON is an object, neither a list nor a number that a double cannot hold. */
export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
