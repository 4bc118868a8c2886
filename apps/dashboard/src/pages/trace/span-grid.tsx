import { useCallback, useMemo, type Ref } from 'react';
import { formatCost, formatCostExactly } from '../../components/format/format-cost.js';
import { formatDuration, formatDurationExactly } from '../../components/format/format-duration.js';
import type { TreeGridColumn, TreeGridHandle } from '../../components/tree-grid/tree-grid-props.js';
import { TreeGrid } from '../../components/tree-grid/tree-grid.js';
import { measureWidths } from './measure-widths.js';
import { SpanCell } from './span-cell.js';
import { tokensText } from './span-facts.js';
import type { Stretch } from './span-times.js';
import { TimelineCell } from './timeline-cell.js';
import { TimelineBackdrop, TimelineHeader } from './timeline-header.js';
import { ABOVE_MATCH, type FilteredSpans } from './trace-filter.js';
import type { TraceModel } from './trace-model.js';
import { measureOf, statusWordOf } from '../../features/spans/trace-span.js';
import { rowOf } from './tree-rows.js';

export interface SpanGridProps {
  model: TraceModel;
  /** Places that are shown, top to bottom. */
  rows: Int32Array;
  filtered: FilteredSpans | null;
  folded: ReadonlySet<string>;
  find: string;
  range: Stretch;
  /** The waterfall gives the room to the timeline, the tree to the names. */
  view: 'waterfall' | 'tree';
  /** Place of the selected span; -1 for none. */
  selected: number;
  onSelect(place: number, by: 'key' | 'press'): void;
  onToggle(place: number): void;
  onOpen(): void;
  ref?: Ref<TreeGridHandle>;
}

const TRACKS = {
  waterfall: { span: { width: 224, grows: 2 }, timeline: { width: 104, grows: 3 } },
  tree: { span: { width: 224, grows: 4 }, timeline: { width: 80, grows: 1 } },
} as const;

/** The spans of a trace as a tree of rows, with when they ran. */
export function SpanGrid(props: SpanGridProps) {
  const { model, rows, filtered, folded, find, range, view, selected, onSelect, onToggle, onOpen, ref } = props;
  const { tree, times } = model;
  const isOpen = useCallback(
    (place: number) => (tree.end[place]! > place + 1 ? !folded.has(tree.spans[place]!.id) : undefined),
    [tree, folded],
  );
  const measures = useMemo(() => measureColumns(model), [model]);
  const columns = useMemo<TreeGridColumn[]>(
    () => [
      {
        id: 'span',
        header: 'Span',
        ...TRACKS[view].span,
        cell: (place) => <SpanCell {...{ tree, place, find, onToggle }} isOpen={isOpen(place)} />,
      },
      {
        id: 'timeline',
        header: <TimelineHeader range={range} />,
        ...TRACKS[view].timeline,
        cell: (place) => <TimelineCell {...{ model, place, range }} />,
      },
      ...measures,
    ],
    [model, measures, tree, find, range, view, isOpen, onToggle],
  );
  return (
    <TreeGrid
      ref={ref ?? null}
      label="Spans of this trace"
      columns={columns}
      rows={rows}
      selected={selected === -1 ? -1 : rowOf(rows, selected)}
      depthOf={(place) => tree.depth[place]!}
      isOpen={isOpen}
      keyOf={(place) => tree.spans[place]!.id}
      indexOf={(id) => rowOf(rows, tree.placeOf(id))}
      stateOf={(place) => (filtered?.kept[place] === ABOVE_MATCH ? 'dimmed' : undefined)}
      onSelect={onSelect}
      onToggle={onToggle}
      onOpen={onOpen}
      backdrop={<TimelineBackdrop gaps={times.gaps} range={range} column={2} />}
    />
  );
}

function measureColumns({ tree }: TraceModel): TreeGridColumn[] {
  const widths = measureWidths(tree.spans);
  const durationOf = (place: number) => measureOf(tree.spans[place]!, 'duration_ms');
  const costOf = (place: number) => measureOf(tree.spans[place]!, 'cost');
  return [
    {
      id: 'duration',
      header: 'Duration',
      width: widths.duration,
      align: 'end',
      cell: (place) =>
        statusWordOf(tree.spans[place]!) === 'running' ? (
          'Running'
        ) : (
          <span title={formatDurationExactly(durationOf(place))}>{formatDuration(durationOf(place))}</span>
        ),
    },
    {
      id: 'tokens',
      header: 'Tokens',
      width: widths.tokens,
      align: 'end',
      cell: (place) => tokensText(tree.spans[place]!),
    },
    {
      id: 'cost',
      header: 'Cost',
      width: widths.cost,
      align: 'end',
      cell: (place) => <span title={formatCostExactly(costOf(place))}>{formatCost(costOf(place))}</span>,
    },
  ];
}
