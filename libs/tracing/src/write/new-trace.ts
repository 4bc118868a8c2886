import { jsonMembers, type IngestTrace, type JsonMember, type PatchTrace } from '@spandrel/contract';
import { jsonText } from '@spandrel/storage';
import { originsOf, originsText, withGiven, type Origins } from './trace-origins.js';
import { EMPTY_ROLLUP } from './trace-rollup.js';
import type { TraceRow } from '../trace.entity.js';

/** A trace without spans. */
export function newTrace(
  place: { projectId: string; id: string; startedAt: number; createHash: string | null; origins: string | null },
  members: PatchTrace,
): TraceRow {
  return {
    ...place,
    name: members.name ?? null,
    sessionId: members.session_id ?? null,
    userId: members.user_id ?? null,
    tags: JSON.stringify(members.tags ?? []),
    metadata: jsonText(members.metadata ?? {}),
    ...EMPTY_ROLLUP,
  };
}

/**
 * The trace with the members that were given; `null` clears one.
 * @param told whether tags and members of the metadata that spans told stay beside those given, or go.
 * @returns the same row when nothing differs.
 */
export function patchedTrace(
  trace: TraceRow,
  members: PatchTrace & Pick<IngestTrace, 'started_at'>,
  told: 'keep_told' | 'replace_told' = 'replace_told',
): TraceRow {
  const next = { ...trace, origins: withGiven(trace, members) };
  if (members.name !== undefined) next.name = members.name;
  if (members.session_id !== undefined) next.sessionId = members.session_id;
  if (members.user_id !== undefined) next.userId = members.user_id;
  if (members.tags !== undefined) next.tags = JSON.stringify(members.tags ?? []);
  if (members.metadata !== undefined) next.metadata = jsonText(members.metadata ?? {});
  next.startedAt = members.started_at ?? trace.startedAt;
  if (trace.origins !== null) giveTagsAndMetadata(trace, next, members, told === 'keep_told');
  const changed = (Object.keys(next) as (keyof TraceRow)[]).some((member) => next[member] !== trace[member]);
  return changed ? next : trace;
}

/** Beside what spans told, it is noted which tags and members are given now. */
function giveTagsAndMetadata(trace: TraceRow, next: TraceRow, members: PatchTrace, keep: boolean): void {
  const before = originsOf(trace);
  const origins = originsOf(next);
  if (members.tags !== undefined) {
    const given = members.tags ?? [];
    const told = keep ? (JSON.parse(trace.tags) as string[]).slice(before.tags) : [];
    next.tags = JSON.stringify([...given, ...told.filter((tag) => !given.includes(tag))]);
    origins.tags = given.length;
  }
  if (members.metadata !== undefined) {
    const given = members.metadata ?? {};
    const isKept = ({ name }: JsonMember): boolean =>
      !Object.hasOwn(given, name) && (Object.hasOwn(before.metadata, name) || name === 'otel');
    const told = keep && mayBeTold(trace, before) ? [...jsonMembers(trace.metadata)].filter(isKept) : [];
    next.metadata = withMembers(jsonText(given), trace.metadata, told);
    const names = new Set(told.map(({ name }) => name));
    origins.metadata = Object.fromEntries(Object.entries(before.metadata).filter(([member]) => names.has(member)));
    if (!names.has('otel')) origins.resources = {};
  }
  next.origins = originsText(origins);
}

/** Whether spans may have told members of the metadata, which is found out without reading it: it may be long. */
const mayBeTold = ({ metadata }: TraceRow, { metadata: told }: Origins): boolean =>
  metadata.includes('"otel"') || Object.keys(told).length > 0;

/** The JSON of an object with members of another, whose names it has not. */
function withMembers(object: string, other: string, members: readonly JsonMember[]): string {
  if (members.length === 0) return object;
  const texts = members.map(({ start, end }) => other.slice(start, end));
  return `{${[...(object === '{}' ? [] : [object.slice(1, -1)]), ...texts].join(',')}}`;
}
