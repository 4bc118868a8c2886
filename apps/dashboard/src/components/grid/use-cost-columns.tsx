import { useMemo, useRef } from 'react';
import { costDigits, formatColumnCost, formatCostExactly } from '../format.js';
import type { GridColumn, GridProps } from './grid-props.js';

/** Rows at the top that are looked at. */
const LOOKED_AT = 100;

/** The columns of a grid; costs of one have the same decimals, those that the first rows need. */
export function useCostColumns<Row>({ columns, length, rowAt }: GridProps<Row>): readonly GridColumn<Row>[] {
  const count = Math.min(length, LOOKED_AT);
  // The first rows of a list may leave the memory again.
  const known = useRef<Record<string, number>>({});
  return useMemo(() => {
    const rows = Array.from({ length: count }, (_, index) => rowAt(index)).filter((row) => row !== undefined);
    return columns.map((column) => {
      const { id, costOf } = column;
      if (!costOf) return column;
      if (rows.length > 0) known.current[id] = costDigits(rows.map(costOf));
      const digits = known.current[id] ?? 0;
      const cell = (row: Row) => (
        <span title={formatCostExactly(costOf(row))}>{formatColumnCost(costOf(row), digits)}</span>
      );
      return { ...column, cell };
    });
    // oxlint-disable-next-line react/exhaustive-deps -- they are other rows when the first or the last is
  }, [columns, rowAt(0), rowAt(count - 1)]);
}
