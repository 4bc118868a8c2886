import { useCallback, useMemo, useRef, useState, type KeyboardEvent, type MouseEvent } from 'react';
import { readColours, useCanvas, type CanvasSize } from '../../components/use-canvas.js';
import { formatDuration } from '../../components/format.js';
import { kindColour, statusWordOf } from '../../features/trace-span.js';
import {
  boxesIn,
  boxOf,
  placeAt,
  layOutFlame,
  stepInFlame,
  type FlameBox,
  type FlameWindow,
  type FlameStep,
} from './flame-layout.js';
import type { FilteredSpans } from './tree-rows.js';
import type { TraceModel } from './use-trace.js';
import styles from './flame-graph.module.css';

interface FlameGraphProps {
  model: TraceModel;
  filtered: FilteredSpans | null;
  selected: number;
  onSelect(place: number, by: 'key' | 'press'): void;
}

const ROW_HEIGHT = 22;
const STEPS: Readonly<Record<string, FlameStep>> = {
  ArrowUp: 'parent',
  ArrowDown: 'child',
  ArrowLeft: 'previous',
  ArrowRight: 'next',
};
const COLOURS = [
  ...(['--kind-1', '--kind-2', '--kind-3', '--kind-4', '--kind-5', '--kind-6', '--kind-7', '--kind-8'] as const),
  ...(['--surface-1', '--text-1', '--focus', '--status-failed', '--line-strong'] as const),
];

/** Spans by their share of the time, parents above their children. Enter, or a second press, fills the width with one. */
export function FlameGraph(props: FlameGraphProps) {
  const { model, selected, onSelect } = props;
  const { tree, times } = model;
  const canvas = useRef<HTMLCanvasElement>(null);
  const [focus, setFocus] = useState(-1);
  const [top, setTop] = useState(0);
  const layout = useMemo(() => layOutFlame(tree, times), [tree, times]);
  const filled = focus < tree.spans.length ? focus : -1;
  const windowOf = useCallback(
    ({ width, height }: CanvasSize): FlameWindow => ({ focus: filled, width, height, top, rowHeight: ROW_HEIGHT }),
    [filled, top],
  );
  const draw = useFlameDrawing(props, layout, windowOf);
  const size = useCanvas(canvas, draw);

  const select = (place: number, by: 'key' | 'press'): void => {
    onSelect(place, by);
    setTop(topFor(tree.depth[place]!, top, size.height));
    // A span beside the one that fills the width is out of sight.
    if (filled !== -1 && (place < filled || place >= tree.end[filled]!)) setFocus(-1);
  };
  const press = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = STEPS[event.key];
    if (step !== undefined) select(selected === -1 ? 0 : stepInFlame(tree, selected, step), 'key');
    else if (event.key === 'Enter' && selected !== -1) setFocus(filled === selected ? -1 : selected);
    else if (event.key === 'Escape' && filled !== -1) setFocus(-1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const placeUnder = (event: MouseEvent): number => {
    const { left, top: above } = event.currentTarget.getBoundingClientRect();
    return placeAt(tree, layout, windowOf(size), event.clientX - left, event.clientY - above);
  };
  return (
    <div className={styles.flame}>
      {/* The canvas has the keys of an application; what it shows is said by the live text below. */}
      <canvas
        ref={canvas}
        role="application"
        aria-label="Flame graph"
        aria-describedby="flame-keys"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- an application takes keys
        tabIndex={0}
        className={styles.canvas}
        onKeyDown={press}
        onClick={(event) => {
          const place = placeUnder(event);
          if (place !== -1) select(place, 'press');
        }}
        onDoubleClick={(event) => {
          const place = placeUnder(event);
          setFocus(place === filled ? -1 : place);
        }}
        onWheel={(event) => {
          const deepest = tree.depth.reduce((most, depth) => Math.max(most, depth), 0);
          const most = Math.max(0, (deepest + 1) * ROW_HEIGHT - size.height);
          setTop(Math.min(most, Math.max(0, top + event.deltaY)));
        }}
      />
      <p id="flame-keys" className="small">
        Arrow keys go to parent, first child and siblings. Enter or double-click zooms to a span.
      </p>
      <p className={styles.announced} aria-live="polite">
        {selected !== -1 && describe(model, selected)}
      </p>
    </div>
  );
}

function describe({ tree, times }: TraceModel, place: number): string {
  const duration = times.end[place]! - times.start[place]!;
  const share = times.total > 0 ? (duration / times.total) * 100 : 100;
  const percent = share > 0 && share < 0.1 ? 'less than 0.1' : share.toFixed(1);
  return `${tree.spans[place]!.name}, ${formatDuration(duration)}, ${percent}% of the trace`;
}

function topFor(depth: number, top: number, height: number): number {
  const y = depth * ROW_HEIGHT;
  if (y < top) return y;
  return y + ROW_HEIGHT > top + height ? y + ROW_HEIGHT - height : top;
}

function useFlameDrawing(
  { model: { tree }, filtered, selected }: FlameGraphProps,
  layout: ReturnType<typeof layOutFlame>,
  windowOf: (size: CanvasSize) => FlameWindow,
) {
  return useCallback(
    (context: CanvasRenderingContext2D, size: CanvasSize) => {
      const colours = readColours(context.canvas, COLOURS);
      const { font, fontSize } = getComputedStyle(context.canvas);
      context.font = font || `${fontSize} sans-serif`;
      context.textBaseline = 'middle';
      context.clearRect(0, 0, size.width, size.height);
      const seen = windowOf(size);
      for (const box of boxesIn(tree, layout, seen)) drawBox(box);
      if (selected !== -1) markSelected(context, boxOf(tree, layout, seen, selected), colours['--text-1']);

      function drawBox(box: FlameBox): void {
        const { place, x, y, width } = box;
        const height = ROW_HEIGHT - 2;
        const span = tree.spans[place];
        context.globalAlpha = filtered !== null && span !== undefined && filtered.kept[place] === 0 ? 0.25 : 1;
        context.fillStyle = span
          ? colours[kindColour(span.kind.type) as keyof typeof colours]
          : colours['--line-strong'];
        context.fillRect(x, y, Math.max(width - 1, 0.5), height);
        if (span === undefined) return;
        if (statusWordOf(span) === 'failed') {
          context.fillStyle = colours['--status-failed'];
          context.fillRect(x, y + height - 4, Math.max(width - 1, 0.5), 4);
        }
        if (width > 24) drawName(context, span.name, box, colours['--surface-1']);
        context.globalAlpha = 1;
      }
    },
    [tree, filtered, selected, layout, windowOf],
  );
}

function markSelected(context: CanvasRenderingContext2D, { x, y, width }: FlameBox, colour: string): void {
  context.strokeStyle = colour;
  context.lineWidth = 2;
  context.strokeRect(x + 1, y + 1, Math.max(width - 3, 2), ROW_HEIGHT - 4);
}

/** Characters that are tried to fit; measuring a name of kilobytes takes longer than drawing all boxes. */
const NAME_MAX = 120;

function drawName(context: CanvasRenderingContext2D, name: string, box: FlameBox, colour: string): void {
  context.save();
  context.beginPath();
  context.rect(box.x + 4, box.y, box.width - 8, ROW_HEIGHT - 2);
  context.clip();
  context.fillStyle = colour;
  context.fillText(name.slice(0, NAME_MAX), box.x + 5, box.y + (ROW_HEIGHT - 2) / 2);
  context.restore();
}
