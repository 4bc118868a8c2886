import type { TraceListItem } from '@spandrel/contract';

/**
 * The turns of a session with some as they are now, the oldest first.
 * @param fresh changed and new ones; those of other sessions take themselves out.
 * @param isComplete whether all turns were read: else what is behind the last one comes with its page.
 */
export function mergeTurns(
  turns: readonly TraceListItem[],
  fresh: readonly TraceListItem[],
  sessionId: string,
  isComplete: boolean,
): TraceListItem[] {
  const byId = new Map(fresh.map((turn) => [turn.id, turn]));
  const known = new Set(turns.map(({ id }) => id));
  const kept = turns.map((turn) => byId.get(turn.id) ?? turn);
  const added = fresh.filter(({ id }) => !known.has(id));
  const last = turns.at(-1);
  const due = added.filter((turn) => isComplete || (last !== undefined && byStart(turn, last) < 0));
  return [...kept, ...due].filter(({ session_id: id }) => id === sessionId).toSorted(byStart);
}

/** The order of the API: by start, then by id. */
function byStart(one: TraceListItem, other: TraceListItem): number {
  const [a, b] = [Date.parse(one.started_at), Date.parse(other.started_at)];
  return a === b ? (one.id < other.id ? -1 : 1) : a - b;
}
