import type { PatchTrace } from '@spandrel/contract';
import type { TraceRow } from '../trace.entity.js';

/** Who told a member: its rank, the smallest counts, and within a rank the `order` of the span, the first counts. */
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
  /** How many of the tags, from the first on, were given; the others were told by spans. */
  tags: number;
  /** Members of the metadata that spans told, with the `order` of the span. */
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
export function withGiven(
  trace: TraceRow,
  given: PatchTrace & { started_at?: number | null | undefined },
): string | null {
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
