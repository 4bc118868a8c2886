import {
  jsonMembers,
  withMember,
  type IngestTrace,
  type JsonMember,
  type PatchTrace,
  type ExportedTrace,
  type RestoredTrace,
} from '@spandrel/contract';
import { jsonText } from '@spandrel/storage';
import { NO_METADATA_VALUES } from '../metadata/metadata.entity.js';
import { EMPTY_ROLLUP } from './trace-rollup.js';
import type { TraceRow } from '../trace.entity.js';
import { isOtlpTraceId } from '../usage-attribution/usage-attribution.js';
import { traceJson } from '../trace-resource.js';

/** A trace without spans. */
export function newTrace(
  place: { projectId: string; id: string; startedAt: number; createHash: string | null; origins: string | null },
  members: PatchTrace,
): TraceRow {
  return {
    ...place,
    ...NO_METADATA_VALUES,
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
 * @param reported whether tags and members of the metadata that spans reported stay beside those given, or go.
 * @returns the same row when nothing differs.
 */
export function patchedTrace(
  trace: TraceRow,
  members: PatchTrace & Pick<IngestTrace, 'started_at'>,
  reported: 'keep_reported' | 'replace_reported' = 'replace_reported',
): TraceRow {
  const next = { ...trace, origins: withGiven(trace, members) };
  if (members.name !== undefined) next.name = members.name;
  if (members.session_id !== undefined) next.sessionId = members.session_id;
  if (members.user_id !== undefined) next.userId = members.user_id;
  if (members.tags !== undefined) next.tags = JSON.stringify(members.tags ?? []);
  if (members.metadata !== undefined) next.metadata = jsonText(members.metadata ?? {});
  next.startedAt = members.started_at ?? trace.startedAt;
  if (trace.origins !== null) giveTagsAndMetadata(trace, next, members, reported === 'keep_reported');
  return changedRow(trace, next);
}

/** The next row, or the same one when nothing differs. */
export const changedRow = (trace: TraceRow, next: TraceRow): TraceRow =>
  (Object.keys(next) as (keyof TraceRow)[]).some((member) => next[member] !== trace[member]) ? next : trace;

/** Notes beside what spans reported which tags and members are given now. */
function giveTagsAndMetadata(trace: TraceRow, next: TraceRow, members: PatchTrace, keep: boolean): void {
  const before = originsOf(trace);
  const origins = originsOf(next);
  if (members.tags !== undefined) {
    const given = members.tags ?? [];
    const reported = keep ? (JSON.parse(trace.tags) as string[]).slice(before.tags) : [];
    next.tags = JSON.stringify([...given, ...reported.filter((tag) => !given.includes(tag))]);
    origins.tags = given.length;
  }
  if (members.metadata !== undefined) {
    const given = members.metadata ?? {};
    const isKept = ({ name }: JsonMember): boolean =>
      !Object.hasOwn(given, name) && (Object.hasOwn(before.metadata, name) || name === 'otel');
    const reported = keep && mayBeReported(trace, before) ? [...jsonMembers(trace.metadata)].filter(isKept) : [];
    next.metadata = withMembers(jsonText(given), trace.metadata, reported);
    const names = new Set(reported.map(({ name }) => name));
    origins.metadata = Object.fromEntries(Object.entries(before.metadata).filter(([member]) => names.has(member)));
    if (!names.has('otel')) origins.resources = {};
  }
  next.origins = originsText(origins);
}

/** Whether spans may have reported members of the metadata, found out without reading it: it may be long. */
const mayBeReported = ({ metadata }: TraceRow, { metadata: reported }: Origins): boolean =>
  metadata.includes('"otel"') || Object.keys(reported).length > 0;

/** The JSON of an object with members of another, whose names it has not. */
function withMembers(object: string, other: string, members: readonly JsonMember[]): string {
  if (members.length === 0) return object;
  const texts = members.map(({ start, end }) => other.slice(start, end));
  return `{${[...(object === '{}' ? [] : [object.slice(1, -1)]), ...texts].join(',')}}`;
}

/** Which span reported a member: its rank, the smallest counts, and within a rank the `order` of the span, the first counts. */
export type Origin = readonly [rank: number, order: string];

/** Ranks of a trace's name (docs/spec/otlp.md#trace-attributes-from-spans); members of other kinds use 0 for given, too. */
export const NAME_RANK = { given: 0, dialect: 1, root: 2, span: 3, default: 4 } as const;

const GIVEN: Origin = [NAME_RANK.given, ''];

/** Where the members of a trace come from, as far as that is not plain from the trace itself. */
export interface Origins {
  name?: Origin;
  session?: Origin;
  user?: Origin;
  /** Nobody gave the start: it is the earliest of the spans. */
  openStart?: true;
  /** How many of the tags, from the first on, were given; the others were reported by spans. */
  tags: number;
  /** Members of the metadata that spans reported, with the `order` of the span. */
  metadata: Record<string, string>;
  /** Likewise the members of `metadata.otel.resources`. */
  resources: Record<string, string>;
}

/** Reads them; in a trace that only native calls wrote, everything that it has was given. */
export function originsOf(trace: TraceRow): Origins {
  const stored = trace.origins === null ? {} : (JSON.parse(trace.origins) as Partial<Origins>);
  return {
    ...(trace.name !== null && { name: GIVEN }),
    ...(trace.sessionId !== null && { session: GIVEN }),
    ...(trace.userId !== null && { user: GIVEN }),
    tags: (JSON.parse(trace.tags) as string[]).length,
    metadata: {},
    resources: {},
    ...stored,
  };
}

/** Writes them in one order, so that equal ones are equal text. */
export const originsText = ({ name, session, user, openStart, tags, metadata, resources }: Origins): string =>
  JSON.stringify({ name, session, user, openStart, tags, metadata: sorted(metadata), resources: sorted(resources) });

/** The origins of a trace whose start, or name, nobody gave; `null` when all is given. */
export function originsOfNew(open: { start: boolean; name: boolean }): string | null {
  if (!open.start && !open.name) return null;
  const origins = {
    ...(open.name && { name: [NAME_RANK.default, ''] }),
    ...(open.start && { openStart: true }),
  };
  return JSON.stringify(origins);
}

/**
 * The origins after members were given by a native call; the same text when it says nothing new.
 * @param given what was given; `null` clears a member for good: spans do not bring it back.
 */
function withGiven(trace: TraceRow, given: PatchTrace & { started_at?: number | null | undefined }): string | null {
  const clears = [given.name, given.session_id, given.user_id].includes(null);
  if (trace.origins === null && !clears) return null;
  const origins = originsOf(trace);
  if (given.name !== undefined) origins.name = GIVEN;
  if (given.session_id !== undefined) origins.session = GIVEN;
  if (given.user_id !== undefined) origins.user = GIVEN;
  if (typeof given.started_at === 'number') delete origins.openStart;
  return originsText(origins);
}

export const sorted = <Value>(members: Readonly<Record<string, Value>>): Record<string, Value> =>
  Object.fromEntries(Object.entries(members).toSorted(([a], [b]) => (a < b ? -1 : 1)));

/**
 * A trace as an export has it, with which spans of OTLP reported what of it.
 * @returns JSON of an `ExportedTrace`.
 */
export function exportedTrace(trace: TraceRow): string {
  const json = traceJson(trace);
  if (trace.origins === null || !isOtlpTraceId(trace.id)) return json;
  const { openStart, ...reported } = originsOf(trace);
  const origins: ExportedTrace['origins'] = { ...reported, ...(openStart && { open_start: openStart }) };
  return withMember(json, 'origins', JSON.stringify(origins));
}

/** The trace with what a file says of it, which wins. @returns the same row when nothing differs. */
export function restoredTrace(trace: TraceRow, item: RestoredTrace): TraceRow {
  if (!item.origins) return patchedTrace(trace, item, 'keep_reported');
  const { open_start: openStart, ...origins } = item.origins;
  const reported: Origins = { ...origins, ...(openStart && { openStart }) };
  const next = { ...patchedTrace(trace, item), origins: originsText(reported) };
  return changedRow(trace, next);
}
