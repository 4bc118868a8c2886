import type { TraceListItem } from '@spandrel/contract';
import { useMemo, useState } from 'react';
import type { GridSelection } from '../../components/grid/grid-props.js';
import { nameOfTrace } from '../../features/trace-link.js';

export interface SelectedTraces {
  traces: readonly TraceListItem[];
  selection: GridSelection<TraceListItem>;
  clear(): void;
}

/** Which traces are selected. They stay so when they scroll out of view. */
export function useSelectedTraces(): SelectedTraces {
  const [byId, setById] = useState<ReadonlyMap<string, TraceListItem>>(new Map());
  const selection = useMemo<GridSelection<TraceListItem>>(
    () => ({
      isSelected: ({ id }) => byId.has(id),
      nameOf: nameOfTrace,
      toggle: (trace) =>
        setById((before) => {
          const after = new Map(before);
          if (!after.delete(trace.id)) after.set(trace.id, trace);
          return after;
        }),
    }),
    [byId],
  );
  const traces = useMemo(() => [...byId.values()], [byId]);
  return { traces, selection, clear: () => setById(new Map()) };
}
