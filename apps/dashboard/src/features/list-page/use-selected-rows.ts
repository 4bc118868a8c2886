import { useMemo, useState } from 'react';
import type { GridSelection } from '../../components/grid/grid-props.js';

export interface SelectedRows<Row> {
  rows: readonly Row[];
  selection: GridSelection<Row>;
  clear(): void;
}

/** Which rows of a list are selected. They stay so when they scroll out of view. @param nameOf stays the same function. */
export function useSelectedRows<Row extends { id: string }>(nameOf: (row: Row) => string): SelectedRows<Row> {
  const [byId, setById] = useState<ReadonlyMap<string, Row>>(new Map());
  const selection = useMemo<GridSelection<Row>>(
    () => ({
      isSelected: ({ id }) => byId.has(id),
      nameOf,
      toggle: (row) =>
        setById((before) => {
          const after = new Map(before);
          if (!after.delete(row.id)) after.set(row.id, row);
          return after;
        }),
    }),
    [byId, nameOf],
  );
  const rows = useMemo(() => [...byId.values()], [byId]);
  return { rows, selection, clear: () => setById(new Map()) };
}
