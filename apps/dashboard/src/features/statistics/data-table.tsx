import type { ReactNode } from 'react';
import { ScrolledTable } from './statistics-tables.js';

interface DataTableProps {
  caption: string;
  isCaptionHidden?: boolean;
  columns: readonly string[];
  /** Columns that are no numbers. */
  starts?: readonly string[];
  /** Keys and cells; the first cell names its row. */
  rows: readonly (readonly [key: string, ...cells: ReactNode[]])[];
}

/** A table of values; its caption is shown where no heading says what they are. */
export function DataTable({ caption, isCaptionHidden = true, columns, starts = [], rows }: DataTableProps) {
  return (
    <ScrolledTable {...{ caption, isCaptionHidden, columns, starts }}>
      {rows.map(([key, first, ...cells]) => (
        <tr key={key}>
          <th scope="row" dir="auto">
            {first}
          </th>
          {cells.map((cell, at) => (
            // oxlint-disable-next-line react/no-array-index-key -- cells stay in their columns
            <td key={at} dir="auto" {...(starts.includes(columns[at + 1]!) && { 'data-align': 'start' })}>
              {cell}
            </td>
          ))}
        </tr>
      ))}
    </ScrolledTable>
  );
}
