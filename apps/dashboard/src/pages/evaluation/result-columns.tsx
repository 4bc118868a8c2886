import type { EvalItem, EvalRunSummary } from '@spandrel/contract';
import { formatScore, NONE } from '@spandrel/contract/browser';
import { Badge, StatusBadge } from '../../components/badge.js';
import type { GridColumn } from '../../components/grid/grid-column.js';
import type { OfferedColumns } from '../../features/columns/column-choice.js';
import { costColumn, countColumn, durationColumn } from '../../features/columns/usual-columns.js';
import { dataText } from '../../features/runs/data-text.js';
import { describePasses, passesOf } from './passes.js';

/** So much of a text is written into a row, which shows far less. */
const SHOWN_LENGTH = 300;

/** Scorers that have a column each unless somebody chooses otherwise. */
const SHOWN_SCORERS = 3;

type Run = Pick<EvalRunSummary, 'repeats' | 'pass_score' | 'scorers'>;

/** Columns of the results of a run, and those that it has when nobody chose. */
export interface ResultColumns {
  columns: readonly GridColumn<EvalItem>[];
  offered: OfferedColumns;
}

/** Every column of the results of a run. @param run left out while it is awaited. */
export function resultColumns(run: Run | undefined): ResultColumns {
  const scorers =
    run === undefined || run.scorers.length === 1 ? [] : run.scorers.map(({ name }) => scorerColumn(name));
  const passes = run === undefined || run.repeats === 1 ? [] : [passesColumn(run.pass_score)];
  const columns = COLUMNS.flatMap((column) => (column.id === 'score' ? [column, ...scorers, ...passes] : [column]));
  const hidden = new Set(scorers.slice(SHOWN_SCORERS).map(({ id }) => id));
  const all = columns.map(({ id }) => id);
  return { columns, offered: { all, usual: all.filter((id) => !hidden.has(id)) } };
}

/** The score that one of several scorers gave. */
const scorerColumn = (name: string): GridColumn<EvalItem> => ({
  id: `scorer-${name}`,
  header: name,
  width: 80,
  align: 'end',
  cell: ({ scores }) => formatScore(scores[name]?.score),
});

/** How many tries passed, with a mark where not all ended alike. */
const passesColumn = (passScore: number): GridColumn<EvalItem> => ({
  id: 'passes',
  header: 'Passed',
  width: 130,
  cell: (item) => {
    const passes = passesOf(item, passScore);
    if (passes === null) return NONE;
    return <Badge tone={passes.isFlaky ? 'running' : 'plain'}>{describePasses(passes)}</Badge>;
  },
});

const COLUMNS: readonly GridColumn<EvalItem>[] = [
  { ...textOf('input', 'Input', 180, ({ input }) => dataText(input)), grows: true },
  { ...textOf('expected', 'Expected', 130, ({ expected }) => expected ?? ''), grows: true },
  { ...textOf('output', 'Output', 180, ({ output }) => output ?? ''), grows: true },
  { id: 'score', header: 'Score', width: 64, align: 'end', cell: ({ score }) => formatScore(score) },
  durationColumn('latency', 'Latency', 80, ({ latency_ms: ms }) => ms),
  countColumn('tokens', 'Tokens', 72, ({ tokens }) => tokens),
  costColumn('cost', 'Cost', 80, ({ cost }) => cost),
  { id: 'status', header: 'Status', width: 92, cell: ({ status }) => <StatusBadge status={status} /> },
];

function textOf(id: string, header: string, width: number, of: (row: EvalItem) => string): GridColumn<EvalItem> {
  return { id, header, width, cell: (row) => <bdi>{of(row).slice(0, SHOWN_LENGTH)}</bdi> };
}
