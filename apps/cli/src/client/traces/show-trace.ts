import {
  inTree,
  readConversation,
  type ScoreResource,
  type SpanOutline,
  type TraceListItem,
  type SpanResource,
  type Message,
  type MessagePart,
} from '@spandrel/contract';
import { scoreText } from '@spandrel/contract/browser';
import type { ClientCall } from '../client-command.js';
import { UsageFault, CommandFailure } from '../exit-codes.js';
import type { Output } from '../output/output.js';
import { factLines, statusStyle, type Column, type Fact } from '../output/table.js';
import { manyLines } from '../output/text.js';
import { bytesText, costText, countText, durationText, timeText } from '../output/units.js';
import { readAnswer } from '../server.js';
import { readAmounts, kindText, readStatus } from '../spans/spans-command.js';

interface TreeRow<Span> {
  span: Span;
  /** 0 for those without a parent. */
  level: number;
  /** Lines in front of its name: `│  ├─ `. */
  branch: string;
  /** Lines in front of what stands below it: `│  │  `. */
  below: string;
  /** Spans below it that are not shown, since they are deeper than was asked for. */
  hidden: number;
}

/** A chain of a thousand calls is not drawn a thousand branches wide. */
const LEVELS_DRAWN = 24;

/** Draws spans below their parents, each list in the order that they came in. @param depth levels that are shown. */
export function spanTree<Span extends Pick<SpanOutline, 'id' | 'parent_id'>>(
  spans: readonly Span[],
  depth = Infinity,
): TreeRow<Span>[] {
  const placed = inTree(spans);
  const isLast = findLast(placed.map(({ depth: level }) => level));
  const rows: TreeRow<Span>[] = [];
  /** What stands in front of the children of the span that came last on each level. */
  const belows: string[] = [];
  for (const [at, { span, depth: level }] of placed.entries()) {
    if (level >= depth) {
      rows.at(-1)!.hidden++;
      continue;
    }
    const before = belows[level - 1] ?? '';
    const [own, next] = branchesOf(level, isLast[at]!);
    belows[level] = before + next;
    rows.push({ span, level, branch: before + own, below: before + next, hidden: 0 });
  }
  return rows;
}

/** Whether no sibling follows, of each span of a tree. */
function findLast(levels: readonly number[]): boolean[] {
  const isLast: boolean[] = [];
  const levelsBehind: boolean[] = [];
  for (let at = levels.length - 1; at >= 0; at--) {
    const level = levels[at]!;
    isLast[at] = levelsBehind[level] !== true;
    levelsBehind.length = level;
    levelsBehind.push(true);
  }
  return isLast;
}

function branchesOf(level: number, isLast: boolean): [own: string, below: string] {
  if (level === 0) return ['', ''];
  if (level > LEVELS_DRAWN) return ['… ', ''];
  return isLast ? ['└─ ', '   '] : ['├─ ', '│  '];
}

export interface ShowOptions {
  span?: string;
  input?: boolean;
  output?: boolean;
  depth?: string;
}

/** Characters of a text that a tree shows; the whole of it is shown with `--span`. */
const PREVIEW = 2_000;
const ROWS_AT_ONCE = 500;

/** Shows a trace as a tree, or one of its spans. Texts are asked for where they are shown: they are most of a trace. */
export async function showTrace(call: ClientCall<ShowOptions>, id: string): Promise<void> {
  const { api, out, options } = call;
  const depth = depthOf(options.depth);
  if (options.span !== undefined) return showSpan(call, id, options.span);
  const withTexts = options.input === true || options.output === true;
  const path = `/api/traces/${encodeURIComponent(id)}`;
  if (out.json) {
    const { body } = await api.raw('GET', path, { query: { view: withTexts ? 'full' : 'outline' } });
    return out.stream(body!, 'json');
  }
  const query = { view: 'outline', preview: withTexts ? PREVIEW : 0 };
  const answer = await api.raw('GET', path, { query });
  const { trace, spans, scores = [] } = await readAnswer<ShownTrace>(answer);
  const scored = Map.groupBy(scores, ({ span_id: of }) => of);
  await out.lines([...headLines(trace, scoresText(scored.get(null)), out), '']);
  const table = out.table(columns);
  const rows = spanTree(spans, depth);
  for (let at = 0; at < rows.length; at += ROWS_AT_ONCE) {
    const some = rows.slice(at, at + ROWS_AT_ONCE);
    const lines = table.lines(some);
    const titles = lines.length > some.length ? [lines.shift()!] : [];
    await out.lines([
      ...titles,
      ...some.flatMap((row, index) => [lines[index]!, ...linesBelow(row, scored.get(row.span.id), options, out)]),
    ]);
  }
}

function depthOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^[1-9]\d{0,6}$/.test(text)) throw new UsageFault('--depth: must be a whole number from 1');
  return Number(text);
}

interface ShownTrace {
  trace: TraceListItem;
  spans: SpanOutline[];
  scores?: ScoreResource[];
}

const scoresText = (scores: readonly ScoreResource[] = []): string =>
  scores.map((score) => `${score.name} ${scoreText(score)}`).join(', ');

function headLines(trace: TraceListItem, scores: string, { paint, isTerminal }: Output): string[] {
  const { error_count: failed, unpriced_count: unpriced } = trace;
  return factLines(
    [
      ['Trace', trace.id],
      ['Name', trace.name],
      ['Status', trace.status],
      ['Started', timeText(trace.started_at, isTerminal)],
      ['Duration', durationText(trace.duration_ms)],
      ['Spans', countText(trace.span_count) + (failed > 0 ? `, ${countText(failed)} failed` : '')],
      ['Tokens', countText(trace.total_tokens)],
      ['Cost', costText(trace.total_cost) + (unpriced > 0 ? ` (${unpriced} spans without a price)` : '')],
      ['Session', trace.session_id],
      ['User', trace.user_id],
      ['Tags', trace.tags.join(', ')],
      ['Scores', scores],
      ['Metadata', Object.keys(trace.metadata).length > 0 ? JSON.stringify(trace.metadata) : null],
    ],
    paint,
  );
}

const columns: readonly Column<TreeRow<SpanOutline>>[] = [
  { title: 'SPAN', text: ({ branch, span }) => branch + span.name, shrinks: true, isTree: true },
  { title: 'KIND', text: ({ span }) => kindText(span), shrinks: true },
  {
    title: 'STATUS',
    text: ({ span }) => readStatus(span),
    style: ({ span }) => statusStyle(readStatus(span)),
    leaveOut: 4,
  },
  { title: 'DURATION', text: ({ span }) => durationText(readAmounts(span).durationMs), align: 'right' },
  { title: 'TOKENS', text: ({ span }) => countText(readAmounts(span).tokens), align: 'right', leaveOut: 2 },
  { title: 'COST', text: ({ span }) => costText(readAmounts(span).cost), align: 'right', leaveOut: 1 },
  { title: 'ID', text: ({ span }) => span.id, style: () => 'dim', leaveOut: 3 },
];

/** What a row has below it: its error, texts that were asked for, and how much is not shown. */
function linesBelow(
  { span, below, hidden, level }: TreeRow<SpanOutline>,
  scores: readonly ScoreResource[] | undefined,
  options: ShowOptions,
  out: Output,
): string[] {
  const indent = `${below}   `;
  const lines: string[] = [];
  if (span.error !== null) lines.push(...textLines('error', span.error).map((line) => out.paint(line, 'red')));
  if (scores) lines.push(...textLines('scores', scoresText(scores)));
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

async function showSpan(
  { api, out, options }: ClientCall<{ input?: boolean; output?: boolean }>,
  traceId: string,
  spanId: string,
): Promise<void> {
  const span = (await api.getSpan({ path: { id: spanId } })) as SpanResource & { scores?: ScoreResource[] };
  if (span.trace_id !== traceId) throw new CommandFailure(`span ${span.id} is of trace ${span.trace_id}`);
  if (out.json) return out.document(span);
  const { durationMs, tokens, cost } = readAmounts(span);
  const { type, ...kind } = span.kind;
  const { duration_ms: _duration, total_tokens: _tokens, cost: _cost, ...metadata } = span.metadata;
  const facts: Fact[] = [
    ['Span', span.id],
    ['Trace', span.trace_id],
    ['Parent', span.parent_id],
    ['Name', span.name],
    ['Kind', type],
    ...Object.entries(kind).map(([name, value]): Fact => [`  ${name}`, shown(value)]),
    ['Status', readStatus(span)],
    ['Error', span.error],
    ['Started', timeText(span.started_at, out.isTerminal)],
    ['Ended', timeText(span.ended_at, out.isTerminal)],
    ['Duration', durationText(durationMs)],
    ['Tokens', countText(tokens)],
    ['Cost', costText(cost)],
    ['Scores', scoresText(span.scores)],
    ...Object.entries(metadata).map(([name, value]): Fact => [`  ${name}`, shown(value)]),
  ];
  await out.lines(factLines(facts, out.paint));
  for (const name of ['input', 'output'] as const) {
    if (options[name] !== true) continue;
    await out.lines(['', out.paint(name === 'input' ? 'Input' : 'Output', 'bold')]);
    await out.text(type === 'llm_call' ? spokenText(span, name) : readable(span[name]));
  }
}

function shown(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function spokenText({ input, output }: SpanResource, side: 'input' | 'output'): string {
  const messages = side === 'input' ? readConversation(input, null) : readConversation(null, output);
  return messages.length === 0 ? 'null' : conversationText(messages);
}

/** A text as it reads, anything else as JSON in lines. */
const readable = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? 'null');

/** Characters of an image's address that are shown; it may hold all of its bytes. */
const ADDRESS = 80;

/** Messages as people read them: each below its role, texts as they are; one message alone without its role. */
export function conversationText(messages: readonly Message[]): string {
  const texts = messages.map(({ parts }) => parts.map(partText).join('\n'));
  if (texts.length === 1) return texts[0]!;
  return messages.map(({ role }, at) => `[${role}]\n${texts[at]}`).join('\n\n');
}

function partText(part: MessagePart): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'reasoning':
      return `(reasoning) ${part.text ?? 'encrypted by the provider'}`;
    case 'tool-call':
      return `(tool call ${part.name}) ${textOrJson(part.arguments)}`;
    case 'tool-result':
      return `(tool result) ${part.parts.map(partText).join('\n')}`;
    case 'image':
      return `(image) ${part.url.length > ADDRESS ? `${part.url.slice(0, ADDRESS)}…` : part.url}`;
    case 'other':
      return JSON.stringify(part.value, undefined, 2) ?? 'null';
  }
}

const textOrJson = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, undefined, 2) ?? 'null');
