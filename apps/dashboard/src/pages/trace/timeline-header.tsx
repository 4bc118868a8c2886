import { formatDuration } from '../../components/format/format-duration.js';
import type { Stretch } from './span-times.js';
import { seenStretches, shareOf } from './seen-stretches.js';
import { ticksOf } from './timeline-range.js';
import styles from './span-grid.module.css';

const TICKS_MAX = 4;
/** Further right the words of a moment would be cut. */
const LAST_TICK = 0.86;

/** The name of the column, and moments of the range since the trace began. */
export function TimelineHeader({ range }: { range: Stretch }) {
  return (
    <span className={styles.ruler}>
      <span className="visually-hidden">Timeline</span>
      {ticksOf(range, TICKS_MAX).map((tick) => {
        const { left } = shareOf({ from: tick, to: tick }, range);
        return (
          left < LAST_TICK && (
            <span key={tick} className={styles.tick} style={{ left: `${left * 100}%` }} aria-hidden="true">
              {formatDuration(tick)}
            </span>
          )
        );
      })}
    </span>
  );
}

/** Behind the rows: when nothing ran at all, and the lines of the ruler. */
export function TimelineBackdrop({
  gaps,
  range,
  column,
}: {
  gaps: readonly Stretch[];
  range: Stretch;
  column: number;
}) {
  return (
    <span className={styles.backdrop} style={{ gridColumn: column }}>
      {seenStretches(gaps, range).map((gap) => {
        const { left, width } = shareOf(gap, range);
        return (
          <span key={gap.from} className={styles.gap} style={{ left: `${left * 100}%`, width: `${width * 100}%` }} />
        );
      })}
      {ticksOf(range, TICKS_MAX).map((tick) => (
        <span
          key={tick}
          className={styles.line}
          style={{ left: `${shareOf({ from: tick, to: tick }, range).left * 100}%` }}
        />
      ))}
    </span>
  );
}
