import type { EvalRunSummary } from '@spandrel/contract';
import { formatScore } from '@spandrel/contract/browser';
import type { AnswerOf } from '@spandrel/sdk';
import type { ClientCall } from '../../client/client-command.js';
import type { Column } from '../../client/output/table.js';
import { timeText } from '../../client/output/units.js';
import { findDataset } from '../../client/server.js';
import { readMetadata } from '../options/run-options.js';
import { readNumber, readOption } from '../options/judging-options.js';
import { formatDollars } from '../words.js';

type TextOption = 'dataset' | 'status' | 'execution' | 'passed' | 'name' | 'limit' | 'cursor';
type ListEvalsOptions = Partial<Record<TextOption, string>> & { metadata?: string[] };

export async function listEvals({ api, out, options }: ClientCall<ListEvalsOptions>): Promise<void> {
  const metadata = readOption('--metadata', '', () => readMetadata(options.metadata ?? []));
  const limit = readNumber('--limit', options.limit);
  const dataset = options.dataset === undefined ? undefined : await findDataset(api, options.dataset);
  // What the API does not take it refuses, with the name of the parameter.
  const { status, execution, passed, name, cursor } = options;
  const query = { dataset_id: dataset?.id, status, execution, passed, name, metadata, limit, cursor };
  const answer = await api.raw('GET', '/api/eval', { query });
  const page = (await answer.json()) as AnswerOf<'listEvalRuns'>;
  if (out.json) return out.document(page);
  if (page.runs.length === 0) out.note('no runs');
  else await out.lines(out.table(columnsFor(out.isTerminal)).lines(page.runs as EvalRunSummary[]));
  if (page.next_cursor !== null) {
    out.note(`there are more runs: --limit up to 1000, or --cursor ${page.next_cursor}`);
  }
}

const GATES = { true: 'hold', false: 'do not hold', null: '' } as const;

const columnsFor = (isTerminal: boolean): Column<EvalRunSummary>[] => [
  { title: 'run', text: ({ id }) => id },
  { title: 'name', text: ({ name }) => name, shrinks: true },
  {
    title: 'status',
    text: ({ status, stop_reason: reason, error }) => {
      if (status === 'completed' && error !== null) return 'all failed';
      return reason === 'cost_cap' ? 'cost cap' : (reason ?? status);
    },
    style: ({ status, error }) => (error !== null ? 'red' : status === 'cancelled' ? 'yellow' : undefined),
  },
  {
    title: 'samples',
    text: ({ sample_progress: done, sample_total: total }) => `${done}/${total}`,
    align: 'right',
    leaveOut: 1,
  },
  { title: 'score', text: ({ avg_score: score }) => formatScore(score), align: 'right' },
  { title: '±', text: ({ score_se: se }) => (se === null ? '' : formatScore(se)), align: 'right', leaveOut: 2 },
  {
    title: 'gates',
    text: ({ passed }) => GATES[`${passed}`],
    style: ({ passed }) => (passed === false ? 'red' : 'green'),
  },
  { title: 'cost', text: ({ total_cost: cost }) => formatDollars(cost), align: 'right', leaveOut: 3 },
  { title: 'created', text: ({ created_at: at }) => timeText(at, isTerminal), leaveOut: 4 },
];
