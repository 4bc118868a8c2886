import { listPreviewedTracesSchema, type TraceListItem } from '@spandrel/contract';
import { Option } from 'commander';
import { clientCommand, type ClientProgram } from '../client-command.js';
import { addListed, PREVIEW_COLUMNS } from '../list/list-command.js';
import { statusStyle, type Column } from '../output/table.js';
import { costText, countText, durationText, timeText } from '../output/units.js';
import { showTrace, type ShowOptions } from './show-trace.js';
import { tailTraces, type TailOptions } from './tail-traces.js';

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
