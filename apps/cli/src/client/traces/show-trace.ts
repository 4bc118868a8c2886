import type { SpanOutline, TraceListItem } from '@spandrel/contract';
import type { ClientCall } from '../client-command.js';
import { UsageFault } from '../exit-codes.js';
import { manyLines } from '../output/clean-text.js';
import { factLines } from '../output/fact-lines.js';
import type { Output } from '../output/output.js';
import { statusStyle } from '../output/status-style.js';
import type { Column } from '../output/table.js';
import { bytesText, costText, countText, durationText, timeText } from '../output/units.js';
import { readAnswer } from '../read-answer.js';
import { amountsOf, kindText, statusOf } from '../spans/span-facts.js';
import { showSpan } from './show-span.js';
import { spanTree, type TreeRow } from './span-tree.js';

/** Options of `traces show`. */
export interface ShowOptions {
  span?: string;
  input?: boolean;
  output?: boolean;
  depth?: string;
}

/** Characters of a text that a tree shows; the whole of it is shown with `--span`. */
const PREVIEW = 2_000;
/** Rows that are written at a time. */
const ROWS_AT_ONCE = 500;

interface TraceOutline {
  trace: TraceListItem;
  spans: SpanOutline[];
}

/** Shows a trace as a tree, or one of its spans. Texts are asked for where they are shown: they are most of a trace. */
export async function showTrace(call: ClientCall<ShowOptions>, id: string): Promise<void> {
  const { api, out, options } = call;
  const depth = depthOf(options.depth);
  if (options.span !== undefined) {
    await showSpan(call, id, options.span);
    return;
  }
  const withTexts = options.input === true || options.output === true;
  const path = `/api/traces/${encodeURIComponent(id)}`;
  if (out.json) {
    const answer = await api.raw('GET', path, { query: { view: withTexts ? 'full' : 'outline' } });
    await out.stream(answer.body!, 'json');
    return;
  }
  const query = { view: 'outline', preview: withTexts ? PREVIEW : 0 };
  const { trace, spans } = await readAnswer<TraceOutline>(await api.raw('GET', path, { query }));
  await out.lines([...headLines(trace, out), '']);
  const table = out.table(columns);
  const rows = spanTree(spans, depth);
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const some = rows.slice(at, at + ROWS_AT_ONCE);
    const lines = table.lines(some);
    const titles = lines.length > some.length ? [lines.shift()!] : [];
    await out.lines([...titles, ...some.flatMap((row, index) => [lines[index]!, ...linesBelow(row, options, out)])]);
  }
}

function depthOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new UsageFault('--depth: must be a whole number from 1');
  return Number(text);
}

const headLines = (trace: TraceListItem, { paint, isTerminal }: Output): string[] =>
  factLines(
    [
      ['Trace', trace.id],
      ['Name', trace.name],
      ['Status', trace.status],
      ['Started', timeText(trace.started_at, isTerminal)],
      ['Duration', durationText(trace.duration_ms)],
      [
        'Spans',
        `${countText(trace.span_count)}${trace.error_count > 0 ? `, ${countText(trace.error_count)} failed` : ''}`,
      ],
      ['Tokens', countText(trace.total_tokens)],
      [
        'Cost',
        costText(trace.total_cost) +
          (trace.unpriced_count > 0 ? ` (${trace.unpriced_count} spans without a price)` : ''),
      ],
      ['Session', trace.session_id],
      ['User', trace.user_id],
      ['Tags', trace.tags.join(', ')],
      ['Metadata', Object.keys(trace.metadata).length > 0 ? JSON.stringify(trace.metadata) : null],
    ],
    paint,
  );

const columns: readonly Column<TreeRow<SpanOutline>>[] = [
  { title: 'SPAN', text: ({ branch, span }) => branch + span.name, shrinks: true, isTree: true },
  { title: 'KIND', text: ({ span }) => kindText(span), shrinks: true },
  {
    title: 'STATUS',
    text: ({ span }) => statusOf(span),
    style: ({ span }) => statusStyle(statusOf(span)),
    leaveOut: 4,
  },
  { title: 'DURATION', text: ({ span }) => durationText(amountsOf(span).durationMs), align: 'right' },
  { title: 'TOKENS', text: ({ span }) => countText(amountsOf(span).tokens), align: 'right', leaveOut: 2 },
  { title: 'COST', text: ({ span }) => costText(amountsOf(span).cost), align: 'right', leaveOut: 1 },
  { title: 'ID', text: ({ span }) => span.id, style: () => 'dim', leaveOut: 3 },
];

/** What a row has below it: its error, texts that were asked for, and how much is not shown. */
function linesBelow({ span, below, hidden, level }: TreeRow<SpanOutline>, options: ShowOptions, out: Output): string[] {
  const indent = `${below}   `;
  const lines: string[] = [];
  if (span.error !== null) lines.push(...textLines('error', span.error).map((line) => out.paint(line, 'red')));
  if (options.input === true) lines.push(...previewLines('input', span.input_preview, span.input_bytes));
  if (options.output === true) lines.push(...previewLines('output', span.output_preview, span.output_bytes));
  if (hidden > 0) lines.push(out.paint(`… ${countText(hidden)} more below level ${level + 1}`, 'dim'));
  return lines.map((line) => indent + line);
}

function previewLines(name: string, preview: string | null, bytes: number): string[] {
  if (preview === null) return [];
  const isCut = [...preview].length >= PREVIEW;
  return [...textLines(name, preview), ...(isCut ? [`… of ${bytesText(bytes)}; all of it with --span`] : [])];
}

function textLines(name: string, text: string): string[] {
  const [first, ...others] = manyLines(text).split('\n');
  return [`${name}: ${first}`, ...others.map((line) => `  ${line}`)];
}
