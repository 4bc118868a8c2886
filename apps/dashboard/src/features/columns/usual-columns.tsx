import { formatCount } from '@spandrel/contract/browser';
import { formatCost, formatCostExactly, formatDuration, formatDurationExactly } from '../../components/format.js';
import type { GridColumn } from '../../components/grid/grid-props.js';

type Of<Row, Value> = (row: Row) => Value | null | undefined;

/** A column of whole numbers. */
export function countColumn<Row>(id: string, header: string, width: number, of: Of<Row, number>): GridColumn<Row> {
  return { id, header, width, align: 'end', cell: (row) => formatCount(of(row)) };
}

/** A column of costs, each digit of which is there on hover. */
export function costColumn<Row>(id: string, header: string, width: number, of: Of<Row, number>): GridColumn<Row> {
  const cell = (row: Row) => <span title={formatCostExactly(of(row))}>{formatCost(of(row))}</span>;
  return { id, header, width, align: 'end', cell };
}

/** A column of lengths of time. */
export function durationColumn<Row>(id: string, header: string, width: number, of: Of<Row, number>): GridColumn<Row> {
  const cell = (row: Row) => <span title={formatDurationExactly(of(row))}>{formatDuration(of(row))}</span>;
  return { id, header, width, align: 'end', cell };
}

/** A column of recorded texts, which may be written from right to left. */
export function textColumn<Row>(id: string, header: string, width: number, of: Of<Row, string>): GridColumn<Row> {
  return { id, header, width, cell: (row) => <bdi title={of(row) ?? undefined}>{of(row)}</bdi> };
}

/** Characters of a text in a row, which shows far less. */
export const SHOWN_LENGTH = 300;

/** A wide column of long texts, as far as a row can show them. */
export function longTextColumn<Row>(id: string, header: string, width: number, of: Of<Row, string>): GridColumn<Row> {
  return { id, header, width, grows: true, cell: (row) => <bdi>{of(row)?.slice(0, SHOWN_LENGTH)}</bdi> };
}
