import { TAGS_MAX } from '@spandrel/contract';
import { objectFromJsonText } from '@spandrel/storage';
import { originsOf, originsText, sorted, type Origin, type Origins } from './trace-row.js';
import type { TraceRow } from '../trace.entity.js';

/** Resources of one trace. */
const RESOURCES_MAX = 16;

/** A value of which one counts: that of the smallest rank, and within it that of the span which started first. */
export interface Ranked {
  /** From 1; 0 is what native calls give. */
  readonly rank: number;
  readonly value: string;
}

/** What a span tells of its trace. */
export interface TraceAttributes {
  readonly name?: Ranked;
  readonly session?: Ranked;
  readonly user?: Ranked;
  readonly tags?: readonly string[];
  /** Each member on its own: of one told twice the value of the span which started first counts. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Becomes `metadata.otel.resources.<service>`. */
  readonly resource?: { readonly service: string; readonly attributes: Readonly<Record<string, unknown>> };
}

/** The span that tells. */
interface AttributeSource {
  /** Orders spans by their start: text that compares as the nanoseconds do, with the span id behind it. */
  readonly order: string;
  readonly startedAt: number;
  /** A form of the span that changes nothing of a stored one: it does not replace what the span told before. */
  readonly weak: boolean;
}

/**
 * The trace after one of its spans told of it. Whatever the order in which spans come, and however often, the outcome is
 * one, but for tags beyond the limit, where those that came first stay.
 * @returns the same row when nothing differs.
 */
export function mergeTraceAttributes(trace: TraceRow, telling: TraceAttributes, teller: AttributeSource): TraceRow {
  const origins = originsOf(trace);
  const wins = (before: Origin | undefined, rank: number): boolean => {
    if (!before || rank !== before[0]) return !before || rank < before[0];
    return teller.weak ? teller.order < before[1] : teller.order <= before[1];
  };
  const next = { ...trace };
  const choose = (member: 'name' | 'session' | 'user', column: 'name' | 'sessionId' | 'userId'): void => {
    const told = telling[member];
    if (!told || !wins(origins[member], told.rank)) return;
    next[column] = told.value;
    origins[member] = [told.rank, teller.order];
  };
  choose('name', 'name');
  choose('session', 'sessionId');
  choose('user', 'userId');
  if (telling.tags) next.tags = mergeTags(trace, origins.tags, telling.tags);
  if (telling.metadata || telling.resource) next.metadata = mergeMetadata(trace, origins, telling, teller);
  if (origins.openStart) next.startedAt = Math.min(trace.startedAt, teller.startedAt);
  next.origins = originsText(origins);
  const changed = (Object.keys(next) as (keyof TraceRow)[]).some((member) => next[member] !== trace[member]);
  return changed ? next : trace;
}

function mergeTags(trace: TraceRow, givenCount: number, tags: readonly string[]): string {
  const before = JSON.parse(trace.tags) as string[];
  const known = new Set(before);
  const added = [...new Set(tags)].filter((tag) => !known.has(tag)).slice(0, Math.max(0, TAGS_MAX - before.length));
  if (added.length === 0) return trace.tags;
  return JSON.stringify([...before.slice(0, givenCount), ...[...before.slice(givenCount), ...added].toSorted()]);
}

function mergeMetadata(trace: TraceRow, origins: Origins, telling: TraceAttributes, teller: AttributeSource): string {
  const isFirst = (order: string | undefined): boolean =>
    order === undefined || teller.order < order || (teller.order === order && !teller.weak);
  if (!hasEarlier(origins, telling, isFirst)) return trace.metadata;
  const before = objectFromJsonText(trace.metadata);
  for (const [member, value] of Object.entries(telling.metadata ?? {})) {
    const given = Object.hasOwn(before, member) && !Object.hasOwn(origins.metadata, member);
    if (given || member === 'otel' || !isFirst(ownValue(origins.metadata, member))) continue;
    setOwn(before, member, value);
    setOwn(origins.metadata, member, teller.order);
  }
  if (telling.resource) mergeResource(before, origins, telling.resource, teller.order, isFirst);
  return JSON.stringify(inOneOrder(before, origins));
}

/** Whether anything is told that no earlier span told: of most spans nothing is, and the metadata need not be read. */
function hasEarlier(
  origins: Origins,
  { metadata, resource }: TraceAttributes,
  isFirst: (order: string | undefined) => boolean,
): boolean {
  if (resource && isFirst(ownValue(origins.resources, resource.service))) return true;
  return Object.keys(metadata ?? {}).some((member) => isFirst(ownValue(origins.metadata, member)));
}

/** Keeps the resources told first in time, when there are more than are kept. */
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

/** What was given in its own order, then what was told, by name: one order whoever told first. */
function inOneOrder(metadata: Record<string, unknown>, origins: Origins): Record<string, unknown> {
  const isTold = (member: string): boolean => Object.hasOwn(origins.metadata, member);
  const { otel, ...others } = metadata;
  const given = Object.entries(others).filter(([member]) => !isTold(member));
  const told = sorted(Object.fromEntries(Object.entries(others).filter(([member]) => isTold(member))));
  return { ...Object.fromEntries(given), ...told, ...(otel !== undefined && { otel }) };
}

/** A member that the object has itself: names like `__proto__` may be told, too. */
const ownValue = (members: Readonly<Record<string, string>>, name: string): string | undefined =>
  Object.hasOwn(members, name) ? members[name] : undefined;

const setOwn = (members: object, name: string, value: unknown): void =>
  void Object.defineProperty(members, name, { value, enumerable: true, configurable: true, writable: true });

/** Whether a value of JSON is an object, neither a list nor a number that a double cannot hold. */
export const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !JSON.isRawJSON(value);
