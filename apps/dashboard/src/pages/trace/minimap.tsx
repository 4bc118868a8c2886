import { useCallback, useMemo, useRef, useState, type PointerEvent } from 'react';
import { readColours, useCanvas, type CanvasSize } from '../../components/use-canvas.js';
import { formatDuration } from '../../components/format.js';
import { CELL, minimapCells, moveEdge, wholeRange } from './timeline-range.js';
import type { Stretch } from './span-times.js';
import type { TraceModel } from './use-trace.js';
import styles from './minimap.module.css';

interface MinimapProps {
  model: TraceModel;
  range: Stretch;
  onRange(range: Stretch): void;
}

const ROWS = 48;
/** Pixels of a failure at least, in both directions. */
const FAILED_MIN = 3;
/** A press that moves less than this is no drag. */
const DRAG_MIN = 4;

/** The whole trace in little. Dragging over it, or its two sliders, choose the range of the timeline. */
export function Minimap({ model, range, onRange }: MinimapProps) {
  const total = model.times.total;
  const whole = wholeRange(total);
  const shareOf = (moment: number): string => `${(moment / whole.to) * 100}%`;
  const drag = useDrag(whole.to, onRange);
  const shown = drag.marked ?? range;
  return (
    <div className={styles.minimap} {...drag.handlers}>
      <MinimapCanvas model={model} />
      <span className={styles.shade} style={{ left: 0, width: shareOf(shown.from) }} />
      <span className={styles.shade} style={{ left: shareOf(shown.to), right: 0 }} />
      {(['from', 'to'] as const).map((edge) => (
        <input
          key={edge}
          type="range"
          aria-label={edge === 'from' ? 'Range start' : 'Range end'}
          aria-valuetext={formatDuration(range[edge])}
          className={styles.slider}
          min={0}
          max={whole.to}
          step="any"
          value={range[edge]}
          onChange={(event) => onRange(moveEdge(range, total, edge, event.currentTarget.valueAsNumber))}
        />
      ))}
    </div>
  );
}

function MinimapCanvas({ model }: { model: TraceModel }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const draw = useCallback(
    (context: CanvasRenderingContext2D, { width, height }: CanvasSize) => {
      const columns = Math.max(1, Math.floor(width));
      const rows = Math.max(1, Math.min(ROWS, model.tree.spans.length));
      const cells = minimapCells(model.tree, model.times, columns, rows);
      const names = ['--kind-7', '--kind-1', '--status-failed'] as const;
      const colours = readColours(context.canvas, names);
      const colourOf = { [CELL.span]: names[0], [CELL.call]: names[1], [CELL.failed]: names[2] } as Record<
        number,
        (typeof names)[number]
      >;
      const rowHeight = height / rows;
      for (let row = 0; row < rows; row++) drawRow(row);

      function drawRow(row: number): void {
        let from = 0;
        for (let column = 1; column <= columns; column++) {
          const cell = cells[row * columns + from]!;
          if (column < columns && cells[row * columns + column] === cell) continue;
          if (cell !== CELL.empty) {
            context.fillStyle = colours[colourOf[cell]!];
            // A failure is seen however short it was.
            const least = cell === CELL.failed ? FAILED_MIN : 1;
            context.fillRect(from, row * rowHeight, Math.max(least, column - from), Math.max(least, rowHeight - 0.5));
          }
          from = column;
        }
      }
    },
    [model],
  );
  useCanvas(canvas, draw);
  return <canvas ref={canvas} className={styles.canvas} aria-hidden="true" />;
}

/** Marks a range by dragging; letting go takes it. */
function useDrag(total: number, onRange: (range: Stretch) => void) {
  const [drag, setDrag] = useState<{ anchor: number; at: number; width: number } | null>(null);
  const momentAt = (event: PointerEvent): { moment: number; width: number } => {
    const { left, width } = event.currentTarget.getBoundingClientRect();
    return { moment: (Math.min(Math.max(event.clientX - left, 0), width) / width) * total, width };
  };
  const marked = useMemo(() => {
    if (drag === null || (Math.abs(drag.at - drag.anchor) / total) * drag.width < DRAG_MIN) return null;
    return { from: Math.min(drag.anchor, drag.at), to: Math.max(drag.anchor, drag.at) };
  }, [drag, total]);
  const handlers = {
    onPointerDown(event: PointerEvent) {
      if (event.button !== 0 || event.target instanceof HTMLInputElement) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      const { moment, width } = momentAt(event);
      setDrag({ anchor: moment, at: moment, width });
    },
    onPointerMove(event: PointerEvent) {
      if (drag !== null) setDrag({ ...drag, at: momentAt(event).moment });
    },
    onPointerUp() {
      if (marked !== null) onRange(marked);
      setDrag(null);
    },
    onPointerCancel: () => setDrag(null),
  };
  return { marked, handlers };
}
