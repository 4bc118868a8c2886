import { formatCounted } from '@spandrel/contract/browser';
import { useMemo, type Ref } from 'react';
import { formatColumnCost, formatCostExactly, formatDuration, formatDurationExactly } from '../../components/format.js';
import type { TreeGridColumn, TreeGridHandle } from '../../components/tree-grid/use-tree-grid.js';
import { TreeGrid } from '../../components/tree-grid/tree-grid.js';
import { kindWord } from '../../features/kind-words.js';
import { measureOf, statusWordOf, kindColour, modelOf } from '../../features/trace-span.js';
import { Icon } from '../../components/icon.js';
import { MarkedText } from '../../components/text-view/text-view.js';
import { measureWidths } from './measure-widths.js';
import { tokensText } from './span-facts.js';
import { ownStretches, type Stretch } from './span-times.js';
import { ABOVE_MATCH, rowOf, type FilteredSpans } from './tree-rows.js';
import type { TraceModel } from './use-trace.js';
import type { SpanTree } from './span-tree.js';
import { seenStretches, shareOf, ticksOf } from './timeline-range.js';
import styles from './span-grid.module.css';

interface SpanGridProps {
  model: TraceModel;
  rows: Int32Array;
  filtered: FilteredSpans | null;
  folded: ReadonlySet<string>;
  find: string;
  range: Stretch;
  /** The waterfall gives the room to the timeline, the tree to the names. */
  view: 'waterfall' | 'tree';
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
  const isOpen = (place: number): boolean | undefined =>
    tree.end[place]! > place + 1 ? !folded.has(tree.spans[place]!.id) : undefined;
  const measures = useMemo(() => measureColumns(model), [model]);
  const columns: TreeGridColumn[] = [
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
  ];
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
      backdrop={<TimelineBackdrop gaps={times.gaps} range={range} />}
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
      cell: (place) => (
        <span title={formatCostExactly(costOf(place))}>{formatColumnCost(costOf(place), widths.digits)}</span>
      ),
    },
  ];
}

/** Deeper spans are not indented further: their depth is a number. */
const INDENTED_MAX = 20;
const STEP = 14;

function SpanCell(
  props: Pick<SpanGridProps, 'find' | 'onToggle'> & { tree: SpanTree; place: number; isOpen: boolean | undefined },
) {
  const { tree, place, isOpen, find, onToggle } = props;
  const span = tree.spans[place]!;
  const depth = tree.depth[place]!;
  const status = statusWordOf(span);
  const model = modelOf(span);
  const below = tree.end[place]! - place - 1;
  return (
    <span className={styles.span} style={{ paddingInlineStart: Math.min(depth, INDENTED_MAX) * STEP }}>
      {depth > INDENTED_MAX && <span className={styles.depth}>{depth}</span>}
      {isOpen === undefined ? (
        <span className={styles.leaf} />
      ) : (
        <button
          type="button"
          tabIndex={-1}
          className={styles.fold}
          aria-label={isOpen ? 'Fold' : 'Open'}
          onClick={() => onToggle(place)}
        >
          <Icon name={isOpen ? 'chevronDown' : 'chevronRight'} size={12} />
        </button>
      )}
      <span className={styles.kind} style={{ background: `var(${kindColour(span.kind.type)})` }} aria-hidden="true" />
      {status !== 'completed' && (
        <span className={styles.status} data-status={status}>
          {status === 'failed' ? <Icon name="error" size={12} /> : <span className={styles.running} />}
          <span className="visually-hidden">{status}</span>
        </span>
      )}
      <span className={styles.name} dir="auto">
        <MarkedText text={span.name} sought={find} />
      </span>
      <span className={styles.more}>
        {model !== null && model !== span.name ? <MarkedText text={model} sought={find} /> : kindWord(span)}
        {isOpen === false && ` · ${formatCounted(below, 'span')} below`}
      </span>
    </span>
  );
}

/** When a span ran: pale while its children did, strong in its own time, underlined where it is on the critical path. */
function TimelineCell(props: { model: TraceModel; place: number; range: Stretch }) {
  const { place, range } = props;
  const { tree, times, path } = props.model;
  const span = tree.spans[place]!;
  const whole = { from: times.start[place]!, to: times.end[place]! };
  if (whole.to < range.from) return <span className={styles.elsewhere} data-side="before" />;
  if (whole.from > range.to) return <span className={styles.elsewhere} data-side="after" />;
  const isLeaf = tree.end[place] === place + 1;
  const status = statusWordOf(span);
  const colour = status === 'failed' ? 'var(--status-failed)' : `var(${kindColour(span.kind.type)})`;
  const own = isLeaf ? [] : seenStretches(ownStretches(tree, times, place), range);
  return (
    <span className={styles.timeline}>
      <span className={styles.bar} data-leaf={isLeaf} data-status={status} style={styleOf(whole, range, colour)} />
      {own.map((stretch) => (
        <span key={stretch.from} className={styles.own} style={styleOf(stretch, range, colour)} />
      ))}
      {seenStretches(path.get(place)?.toReversed() ?? [], range).map((stretch) => (
        <span key={stretch.from} className={styles.critical} style={styleOf(stretch, range)} />
      ))}
    </span>
  );
}

function styleOf(stretch: Stretch, range: Stretch, background?: string) {
  const { left, width } = shareOf(stretch, range);
  return { left: `${left * 100}%`, width: `${width * 100}%`, ...(background !== undefined && { background }) };
}

const TICKS_MAX = 4;
/** Further right the words of a moment stand before its line, where they are not cut. */
const LAST_TICK = 0.75;

function TimelineHeader({ range }: { range: Stretch }) {
  return (
    <span className={styles.ruler}>
      <span className="visually-hidden">Timeline</span>
      {ticksOf(range, TICKS_MAX).map((tick) => {
        const { left } = shareOf({ from: tick, to: tick }, range);
        const style = left < LAST_TICK ? { left: `${left * 100}%` } : { right: `${(1 - left) * 100}%` };
        return (
          <span key={tick} className={styles.tick} style={style} aria-hidden="true">
            {formatDuration(tick)}
          </span>
        );
      })}
    </span>
  );
}

/** Behind the rows: when nothing ran at all, and the lines of the ruler. */
function TimelineBackdrop({ gaps, range }: { gaps: readonly Stretch[]; range: Stretch }) {
  return (
    <span className={styles.backdrop} style={{ gridColumn: 2 }}>
      {seenStretches(gaps, range).map((gap) => (
        <span key={gap.from} className={styles.gap} style={styleOf(gap, range)} />
      ))}
      {ticksOf(range, TICKS_MAX).map((tick) => (
        <span key={tick} className={styles.line} style={{ left: styleOf({ from: tick, to: tick }, range).left }} />
      ))}
    </span>
  );
}
