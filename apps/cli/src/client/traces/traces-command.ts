import { listPreviewedTracesSchema } from '@spandrel/contract';
import { Option } from 'commander';
import { clientCommand, type ClientProgram } from '../client-command.js';
import { addListCommand } from '../list/list-command.js';
import { PREVIEW_COLUMNS } from '../list/preview-columns.js';
import { showTrace, type ShowOptions } from './show-trace.js';
import { tailTraces, type TailOptions } from './tail-traces.js';
import { traceColumns } from './trace-columns.js';

/** `spandrel traces …`. */
export function addTraces(client: ClientProgram, description: string): void {
  const traces = client.program.command('traces').description(description);
  addListCommand(client, traces, 'list traces, newest first', {
    path: '/api/traces',
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
