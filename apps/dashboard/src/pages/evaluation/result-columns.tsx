import type { EvalItem } from '@spandrel/contract';
import { StatusBadge } from '../../components/badge.js';
import type { GridColumn } from '../../components/grid/grid-column.js';
import type { OfferedColumns } from '../../features/columns/column-choice.js';
import { costColumn, countColumn, durationColumn } from '../../features/columns/usual-columns.js';
import { dataText } from '../../features/runs/data-text.js';
import { formatScore } from '../../features/runs/format-score.js';

/** So much of a text is written into a row, which shows far less. */
const SHOWN_LENGTH = 300;

/** Every column of the results of a run. */
export const RESULT_COLUMNS: readonly GridColumn<EvalItem>[] = [
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

const IDS = RESULT_COLUMNS.map(({ id }) => id);

/** Columns that the list offers, and those it has when nobody chose. */
export const OFFERED_RESULT_COLUMNS: OfferedColumns = { all: IDS, usual: IDS };
