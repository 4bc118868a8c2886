import styles from './import-dialog.module.css';

export interface RowTableProps {
  label: string;
  columns: readonly string[];
  rows: readonly (readonly string[])[];
}

/** A small table of texts, scrolled in its own place. */
export function RowTable({ label, columns, rows }: RowTableProps) {
  return (
    // A table longer than its place is scrolled by keys, too.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className={styles.place} tabIndex={0} role="group" aria-label={`${label}, as a table`}>
      <table className={styles.table}>
        <caption>{label}</caption>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column} scope="col" dir="auto">
                {column}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((cells, row) => (
            <tr key={row}>
              {cells.map((cell, at) => (
                <td key={columns[at]} dir="auto">
                  {cell}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
