import type { IngestTrace, PatchTrace } from '@spandrel/contract';
import { EMPTY_ROLLUP } from './trace-rollup.js';
import type { TraceRow } from '../trace.entity.js';

/** A trace without spans. */
export function newTrace(
  place: { projectId: string; id: string; startedAt: number; createHash: string | null },
  members: PatchTrace,
): TraceRow {
  return {
    ...place,
    name: members.name ?? null,
    sessionId: members.session_id ?? null,
    userId: members.user_id ?? null,
    tags: JSON.stringify(members.tags ?? []),
    metadata: JSON.stringify(members.metadata ?? {}),
    ...EMPTY_ROLLUP,
  };
}

/** The trace with the members that were given; `null` clears one. @returns the same row when nothing differs. */
export function patchedTrace(trace: TraceRow, members: PatchTrace & Pick<IngestTrace, 'started_at'>): TraceRow {
  const next = { ...trace };
  if (members.name !== undefined) next.name = members.name;
  if (members.session_id !== undefined) next.sessionId = members.session_id;
  if (members.user_id !== undefined) next.userId = members.user_id;
  if (members.tags !== undefined) next.tags = JSON.stringify(members.tags ?? []);
  if (members.metadata !== undefined) next.metadata = JSON.stringify(members.metadata ?? {});
  next.startedAt = members.started_at ?? trace.startedAt;
  const changed = (Object.keys(next) as (keyof TraceRow)[]).some((member) => next[member] !== trace[member]);
  return changed ? next : trace;
}
