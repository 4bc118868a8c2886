import type { SpanResource } from '@spandrel/contract';

/**
 * The tree of a trace as indented lines, siblings by their start: `name: kind model provider input+output (cached, reasoning)`,
 * `$` behind counts that have a cost, in brackets what is reported and does not count, and `failed`. Requests come behind
 * their siblings: the SDK's clock has whole milliseconds, and some senders put a request beside the call it belongs to.
 */
export function outlineOf(spans: readonly SpanResource[]): string[] {
  const ids = new Set(spans.map(({ id }) => id));
  const lines: string[] = [];
  const add = (parent: string | null, depth: number): void => {
    const children = spans.filter((span) => (ids.has(span.parent_id ?? '') ? span.parent_id : null) === parent);
    for (const span of inOrder(children).toSorted((a, b) => Number(isRequest(a)) - Number(isRequest(b)))) {
      lines.push(`${'  '.repeat(depth)}${span.name}: ${lineOf(span)}`);
      add(span.id, depth + 1);
    }
  };
  add(null, 0);
  return lines;
}

const isRequest = ({ kind }: SpanResource): boolean => kind['kind'] === 'http';

/** Spans by their start. */
export const inOrder = (spans: readonly SpanResource[]): SpanResource[] =>
  spans.toSorted((a, b) => startOf(a) - startOf(b));

/** Microseconds, as far as reported. */
function startOf({ started_at: startedAt, metadata }: SpanResource): number {
  const nanos = (metadata['otel'] as { start_unix_nano?: string } | undefined)?.start_unix_nano;
  return nanos === undefined ? Date.parse(startedAt) * 1_000 : Number(BigInt(nanos) / 1_000n);
}

function lineOf({ kind, status, metadata }: SpanResource): string {
  const type = kind.type === 'custom' ? String(kind['kind']) : kind.type;
  const counts = countsOf(kind);
  const reported = countsOf(metadata['reported_usage']);
  return [
    type === 'tool_call' ? `tool_call ${String(kind['name'])} ${String(kind['call_id'])}` : type,
    kind['model'],
    kind['provider'],
    counts,
    counts && metadata['cost'] ? '$' : undefined,
    reported && `[${reported}]`,
    typeof status === 'object' ? 'failed' : status === 'completed' ? undefined : status,
  ]
    .filter(Boolean)
    .join(' ');
}

interface Counts {
  input_tokens?: number | null;
  output_tokens?: number | null;
  cached_input_tokens?: number;
  reasoning_tokens?: number;
}

function countsOf(usage: unknown): string | undefined {
  const counts = (usage ?? {}) as Counts;
  if (typeof counts.input_tokens !== 'number' && typeof counts.output_tokens !== 'number') return undefined;
  const details = [
    counts.cached_input_tokens ? `${counts.cached_input_tokens} cached` : [],
    counts.reasoning_tokens ? `${counts.reasoning_tokens} reasoning` : [],
  ].flat();
  return [
    `${counts.input_tokens ?? '-'}+${counts.output_tokens ?? '-'}`,
    details.length > 0 ? `(${details.join(', ')})` : [],
  ]
    .flat()
    .join(' ');
}
