import type { ScoreSums } from '@spandrel/contract';
import { formatCount } from '@spandrel/contract/browser';
import { formatCost, formatDuration, formatDurationExactly } from '../../components/format.js';
import type { GridColumn } from '../../components/grid/grid-props.js';
import { lazyPart } from '../../components/lazy-part.js';

type Of<Row, Value> = (row: Row) => Value | null | undefined;

/** A column of whole numbers. */
export function countColumn<Row>(id: string, header: string, width: number, of: Of<Row, number>): GridColumn<Row> {
  return { id, header, width, align: 'end', cell: (row) => formatCount(of(row)) };
}

/** A column of costs, each digit of which is there on hover. */
export function costColumn<Row>(id: string, header: string, width: number, of: Of<Row, number>): GridColumn<Row> {
  return { id, header, width, align: 'end', costOf: of, cell: (row) => formatCost(of(row)) };
}

/** A column of lengths of time. */
export function durationColumn<Row>(id: string, header: string, width: number, of: Of<Row, number>): GridColumn<Row> {
  const cell = (row: Row) => <span title={formatDurationExactly(of(row))}>{formatDuration(of(row))}</span>;
  return { id, header, width, align: 'end', cell };
}

/** A column of recorded texts, which may be written from right to left. */
export function textColumn<Row>(id: string, header: string, width: number, of: Of<Row, string>): GridColumn<Row> {
  const cell = (row: Row) => <bdi title={of(row) ?? undefined}>{of(row)}</bdi>;
  return { id, header, width, grows: 'in-wide-windows', cell };
}

/** A column of the beginnings of texts; a press on one peeks. */
export function previewColumn<Row>(id: string, header: string, of: Of<Row, string>): GridColumn<Row> {
  return { ...textColumn(id, header, 160, of), peeks: true };
}

const ScoreSumsCell = lazyPart(async () => (await import('../scores/score-sums.js')).ScoreSumsCell);

export const scoresColumn: GridColumn<{ scores?: ScoreSums }> = {
  ...{ id: 'scores', header: 'Scores', width: 240 },
  cell: ({ scores }) => <ScoreSumsCell sums={scores} />,
};
