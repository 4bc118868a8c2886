import type { SpanStatus } from '@spandrel/contract';

/** What the views of a trace know of a span: the members that an outline has. */
export interface TraceSpan {
  id: string;
  parent_id: string | null;
  name: string;
  kind: { type: string; [member: string]: unknown };
  status: SpanStatus;
  error: string | null;
  started_at: string;
  ended_at: string | null;
  metadata: Readonly<Record<string, unknown>>;
}

/** A span's status as one word. */
export const statusWordOf = ({ status }: Pick<TraceSpan, 'status'>): 'running' | 'completed' | 'failed' =>
  typeof status === 'string' ? status : 'failed';

export const isLlmCall = ({ kind }: Pick<TraceSpan, 'kind'>): boolean => kind.type === 'llm_call';

/** The model of a span, whatever its kind; `null` when it has none. */
export const modelOf = ({ kind }: Pick<TraceSpan, 'kind'>): string | null =>
  typeof kind['model'] === 'string' ? kind['model'] : null;

/** A number that the service has put into a finished span's metadata; `null` when there is none. */
export function measureOf(span: Pick<TraceSpan, 'metadata'>, name: 'duration_ms' | 'total_tokens' | 'cost') {
  const value = span.metadata[name];
  return typeof value === 'number' ? value : null;
}

/** Colours of the kinds that are known by name; all have their word beside them. */
const KNOWN: Readonly<Record<string, number>> = Object.assign(Object.create(null) as Record<string, number>, {
  llm_call: 1,
  tool_call: 2,
  retrieval: 3,
  embedding: 4,
  agent: 5,
  fs_read: 6,
  fs_write: 6,
  custom: 7,
});

/** The token `--kind-N` of a kind. */
export const kindColour = (type: string): string => `--kind-${KNOWN[type] ?? 8}`;
