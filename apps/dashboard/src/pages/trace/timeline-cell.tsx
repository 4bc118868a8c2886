import { memo } from 'react';
import type { Stretch } from './span-times.js';
import { ownStretches } from './span-times.js';
import type { TraceModel } from './trace-model.js';
import { kindColour } from '../../features/spans/kind-colour.js';
import { seenStretches, shareOf } from './seen-stretches.js';
import { statusWordOf } from '../../features/spans/trace-span.js';
import styles from './span-grid.module.css';

interface TimelineCellProps {
  model: TraceModel;
  place: number;
  range: Stretch;
}

/** When a span ran: pale while its children did, strong in its own time, underlined where it is on the critical path. */
export const TimelineCell = memo(function TimelineCell({ model, place, range }: TimelineCellProps) {
  const { tree, times, path } = model;
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
      {seenStretches(path.stretchesOf(place), range).map((stretch) => (
        <span key={stretch.from} className={styles.critical} style={styleOf(stretch, range)} />
      ))}
    </span>
  );
});

function styleOf(stretch: Stretch, range: Stretch, background?: string) {
  const { left, width } = shareOf(stretch, range);
  return { left: `${left * 100}%`, width: `${width * 100}%`, ...(background !== undefined && { background }) };
}
