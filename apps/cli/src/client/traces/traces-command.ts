import {
  listPreviewedTracesSchema,
  type TraceListItem,
  type SpanOutline,
  type SpanResource,
  type EventOutline,
  type EventPayload,
} from '@spandrel/contract';
import { Option } from 'commander';
import { clientCommand, type ClientProgram, type ClientCall } from '../client-command.js';
import { addListed, PREVIEW_COLUMNS } from '../list/list-command.js';
import { statusStyle, type Column } from '../output/table.js';
import { costText, countText, durationText, timeText } from '../output/units.js';
import { showTrace, type ShowOptions } from './show-trace.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { readExactJson } from '@spandrel/contract/browser';
import type { Api } from '@spandrel/sdk';
import { followEvents, isRefusal } from '../events/follow-events.js';
import { UsageFault } from '../exit-codes.js';
import type { Output } from '../output/output.js';
import { oneLine, cutText, padText } from '../output/text.js';
import { readAmounts, kindText, readStatus } from '../spans/spans-command.js';

const traceColumns = (isTerminal: boolean): readonly Column<TraceListItem>[] => [
  { title: 'ID', text: ({ id }) => id, style: () => 'cyan' },
  { title: 'STARTED', text: ({ started_at: at }) => timeText(at, isTerminal), leaveOut: 3 },
  { title: 'STATUS', text: ({ status }) => status, style: ({ status }) => statusStyle(status) },
  { title: 'DURATION', text: ({ duration_ms: ms }) => durationText(ms), align: 'right', leaveOut: 1 },
  { title: 'SPANS', text: ({ span_count: spans }) => countText(spans), align: 'right', leaveOut: 5 },
  { title: 'TOKENS', text: ({ total_tokens: tokens }) => countText(tokens), align: 'right', leaveOut: 4 },
  { title: 'COST', text: ({ total_cost: cost }) => costText(cost), align: 'right', leaveOut: 2 },
  { title: 'NAME', text: ({ name }) => name ?? '', shrinks: true },
  { title: 'MODELS', text: ({ models }) => models.join(', '), shrinks: true, leaveOut: 6 },
];

export function addTraces(client: ClientProgram, description: string): void {
  const traces = addListed(client, description, {
    member: 'traces',
    schema: listPreviewedTracesSchema,
    columns: traceColumns,
    previews: PREVIEW_COLUMNS,
  });
  const show = traces
    .command('show')
    .description('show a trace as a tree of its spans')
    .argument('<id>', 'of the trace')
    .option('--input', 'the input of each span, its beginning; the whole one with --span')
    .option('--output', 'the output of each span, its beginning; the whole one with --span')
    .option('--span <id>', 'this span alone, whole')
    .option('--depth <levels>', 'so many levels of the tree');
  clientCommand<ShowOptions, [string]>(client, show, showTrace);
  const tail = traces
    .command('tail')
    .description('show spans as they end, until Ctrl-C; a lost connection is made again, without a gap')
    .option('--failed', 'failed spans alone')
    .option('--model <model>', 'spans of this model')
    .option('--session <id>', 'spans of traces of this session')
    .option('--trace <id>', 'spans of this trace')
    .option('--since <event>', 'begin behind this event: the id of a line of --json')
    .addOption(
      new Option('--view <view>', 'full: with inputs and outputs, for --json')
        .choices(['outline', 'full'])
        .default('outline'),
    );
  clientCommand<TailOptions, []>(client, tail, tailTraces);
}

const KIND_COLUMNS = 24;

function tailLines(
  span: SpanOutline | SpanResource,
  { isTerminal, width, paint }: Pick<Output, 'isTerminal' | 'width' | 'paint'>,
): string[] {
  const status = readStatus(span);
  const { durationMs, tokens, cost } = readAmounts(span);
  const at = timeText(span.ended_at, isTerminal);
  const kind = oneLine(kindText(span));
  const facts = [
    // The day is today, as a rule.
    isTerminal ? at.slice(-8) : at,
    paint(padText(status, 9), statusStyle(status)),
    padText(durationText(durationMs), 9, 'right'),
    padText(countText(tokens), 7, 'right'),
    padText(costText(cost), 9, 'right'),
    paint(span.trace_id, 'dim'),
    padText(isTerminal ? cutText(kind, KIND_COLUMNS) : kind, KIND_COLUMNS),
  ].join('  ');
  // What stands before is as wide as its parts and the gaps between them.
  const before = (isTerminal ? 8 : at.length) + 9 + 9 + 7 + 9 + span.trace_id.length + KIND_COLUMNS + 7 * 2;
  const name = oneLine(span.name);
  const line = `${facts}  ${width === undefined ? name : cutText(name, Math.max(12, width - before))}`.trimEnd();
  if (span.error === null) return [line];
  const error = `  ${oneLine(span.error)}`;
  return [line, paint(width === undefined ? error : cutText(error, width), 'red')];
}

const REMEMBERED_MAX = 10_000;
/** A trace may get its session later than its first span. */
const FRESH_MS = 30_000;
const PAUSE_MS = 1_000;

/** Knows which session traces are of, `null` where it is none: a span does not say. */
function knowSessions(api: Api, signal: AbortSignal) {
  const known = new Map<string, { session: string | null; at: number }>();
  const note = (traceId: string, session: string | null): void => {
    known.delete(traceId);
    known.set(traceId, { session, at: performance.now() });
    if (known.size > REMEMBERED_MAX) known.delete(known.keys().next().value!);
  };
  const of = async (traceId: string): Promise<string | null> => {
    const found = known.get(traceId);
    // A session is not changed, as a rule; having none is what changes.
    if (found && (found.session !== null || performance.now() - found.at < FRESH_MS)) return found.session;
    // A server that restarts is asked until it answers: the span that wants to know is not lost.
    for (;;) {
      try {
        const { traces } = await api.listTraces({ query: { ids: [traceId] } });
        const session = traces[0]?.session_id ?? null;
        note(traceId, session);
        return session;
      } catch (error) {
        signal.throwIfAborted();
        if (isRefusal(error)) throw error;
        await sleep(PAUSE_MS, undefined, { signal });
      }
    }
  };
  return { note, of };
}

interface TailOptions {
  failed?: boolean;
  model?: string;
  session?: string;
  trace?: string;
  since?: string;
  view?: 'full' | 'outline';
}

/** Shows spans as they end, until it is interrupted. A connection that is lost is made again, without a gap. */
async function tailTraces({ api, out, io, options }: ClientCall<TailOptions>): Promise<void> {
  const { failed, model, session, trace, since, view = 'outline' } = options;
  if (since !== undefined && !/^\d{1,15}$/.test(since)) throw new UsageFault('--since: must be the number of an event');
  const sessions = knowSessions(api, io.signal);
  let begun: Date | undefined;
  let isCut = false;
  const events = followEvents(api, {
    query: {
      types: [
        'span_failed',
        ...(failed ? [] : ['span_completed']),
        ...(session === undefined ? [] : ['trace_created']),
      ].join(','),
      view,
      ...(trace !== undefined && { trace_id: trace }),
    },
    after: since === undefined ? undefined : Number(since),
    signal: io.signal,
    onOpen: (time) => {
      begun ??= time;
      if (isCut || out.isTerminal) out.note(isCut ? 'connected again' : 'waiting for spans to end; Ctrl-C stops');
      isCut = false;
    },
    onCut: (reason) => {
      isCut = true;
      out.note(`the connection was lost (${reason}); trying again`);
    },
  });
  for await (const { id, json, mayBeOld } of events) {
    const event = readExactJson(json) as unknown as EventPayload | EventOutline;
    if (event.type === 'trace_created') sessions.note(event.trace.id, event.trace.session_id);
    if (!('span' in event) || !(await isWanted(event.span, mayBeOld))) continue;
    if (out.json) await out.jsonLine({ id, ...event });
    else await out.lines(tailLines(event.span, out));
  }

  async function isWanted(span: SpanResource | SpanOutline, mayBeOld: boolean): Promise<boolean> {
    if (mayBeOld && begun && span.ended_at !== null && Date.parse(span.ended_at) < begun.getTime()) return false;
    if (model !== undefined && span.kind['model'] !== model) return false;
    return session === undefined || (await sessions.of(span.trace_id)) === session;
  }
}
