import { useCallback, useRef, useState, type PointerEvent } from 'react';
import { readColours, useCanvas, type CanvasSize } from '../../components/use-canvas.js';
import { formatDuration } from '../../components/format.js';
import { isLlmCall, statusWordOf, type TraceSpan } from '../../features/trace-span.js';
import { moveEdge, wholeRange } from './timeline-range.js';
import type { Stretch } from './span-times.js';
import type { TraceModel } from './use-trace.js';
import styles from './minimap.module.css';

const ROWS = 48;
/** Pixels of a failure at least, in both directions. */
const FAILED_MIN = 3;
const DRAG_MIN = 4;

/** The whole trace in little. Dragging over it, or its two sliders, choose the range of the timeline. */
export function Minimap(props: { model: TraceModel; range: Stretch; onRange(range: Stretch): void }) {
  const { model, range, onRange } = props;
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

/** Failures are painted over calls of models, and both over other spans. */
const COLOURS = ['--kind-7', '--kind-1', '--status-failed'] as const;

const colourOf = (span: TraceSpan): (typeof COLOURS)[number] =>
  statusWordOf(span) === 'failed' ? '--status-failed' : isLlmCall(span) ? '--kind-1' : '--kind-7';

function MinimapCanvas({ model: { tree, times } }: { model: TraceModel }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const draw = useCallback(
    (context: CanvasRenderingContext2D, { width, height }: CanvasSize) => {
      const colours = readColours(context.canvas, COLOURS);
      const scale = times.total > 0 ? width / times.total : 0;
      const rows = Math.max(1, Math.min(ROWS, tree.spans.length));
      for (const colour of COLOURS) {
        context.fillStyle = colours[colour];
        // A failure is seen however short it was.
        const least = colour === '--status-failed' ? FAILED_MIN : 1;
        for (const [place, span] of tree.spans.entries()) {
          if (colourOf(span) !== colour) continue;
          const x = Math.min(width - 1, Math.floor(times.start[place]! * scale));
          const y = Math.floor((place * rows) / tree.spans.length) * (height / rows);
          const length = Math.ceil(times.end[place]! * scale) - x;
          context.fillRect(x, y, Math.max(least, length), Math.max(least, height / rows - 0.5));
        }
      }
    },
    [tree, times],
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
  const isDrag = drag !== null && (Math.abs(drag.at - drag.anchor) / total) * drag.width >= DRAG_MIN;
  const marked = isDrag ? { from: Math.min(drag.anchor, drag.at), to: Math.max(drag.anchor, drag.at) } : null;
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
