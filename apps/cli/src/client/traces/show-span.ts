import type { SpanResource } from '@spandrel/contract';
import type { ClientCall } from '../client-command.js';
import { CommandFailure } from '../exit-codes.js';
import { factLines, type Fact } from '../output/fact-lines.js';
import { costText, countText, durationText, timeText } from '../output/units.js';
import { readAnswer } from '../read-answer.js';
import { amountsOf, statusOf } from '../spans/span-facts.js';

/** What stands in lines of their own. */
const SHOWN_ABOVE: ReadonlySet<string> = new Set(['duration_ms', 'total_tokens', 'cost']);

/** Shows a span whole: its facts, and its input and output where they are asked for. */
export async function showSpan(
  { api, out, options }: ClientCall<{ input?: boolean; output?: boolean }>,
  traceId: string,
  spanId: string,
): Promise<void> {
  const span = await readAnswer<SpanResource>(await api.raw('GET', `/api/spans/${encodeURIComponent(spanId)}`));
  if (span.trace_id !== traceId) throw new CommandFailure(`span ${span.id} is of trace ${span.trace_id}`);
  if (out.json) {
    await out.document(span);
    return;
  }
  const { durationMs, tokens, cost } = amountsOf(span);
  const { type, ...kind } = span.kind;
  const metadata = Object.fromEntries(Object.entries(span.metadata).filter(([name]) => !SHOWN_ABOVE.has(name)));
  const facts: Fact[] = [
    ['Span', span.id],
    ['Trace', span.trace_id],
    ['Parent', span.parent_id],
    ['Name', span.name],
    ['Kind', type],
    ...Object.entries(kind).map(([name, value]): Fact => [`  ${name}`, shown(value)]),
    ['Status', statusOf(span)],
    ['Error', span.error],
    ['Started', timeText(span.started_at, out.isTerminal)],
    ['Ended', timeText(span.ended_at, out.isTerminal)],
    ['Duration', durationText(durationMs)],
    ['Tokens', countText(tokens)],
    ['Cost', costText(cost)],
    ...Object.entries(metadata).map(([name, value]): Fact => [`  ${name}`, shown(value)]),
  ];
  await out.lines(factLines(facts, out.paint));
  for (const name of ['input', 'output'] as const) {
    if (options[name] !== true) continue;
    await out.lines(['', out.paint(name === 'input' ? 'Input' : 'Output', 'bold')]);
    await out.text(readable(span[name]));
  }
}

function shown(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A text as it reads, anything else as JSON in lines. */
const readable = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? 'null');
