import { useRef, useState, type KeyboardEvent, type PointerEvent, type ReactNode } from 'react';
import styles from './trace-page.module.css';

const STORAGE_KEY = 'spandrel.trace-details';
/** Percent of the width that the details have. */
const SHARE = { first: 40, least: 20, most: 80, step: 2 };

/** The spans, and beside them, on narrow screens below them, the details of one. The edge between them can be moved. */
export function DetailsSplitter({ main, side }: { main: ReactNode; side: ReactNode }) {
  const [share, setShare] = useState(storedShare);
  const frame = useRef<HTMLDivElement>(null);
  const move = (percent: number): void => {
    const next = Math.min(SHARE.most, Math.max(SHARE.least, Math.round(percent)));
    setShare(next);
    try {
      localStorage.setItem(STORAGE_KEY, String(next));
    } catch {
      // Without storage it holds for this page.
    }
  };
  const press = (event: KeyboardEvent): void => {
    const to = { ArrowLeft: share + SHARE.step, ArrowRight: share - SHARE.step, Home: SHARE.most, End: SHARE.least }[
      event.key
    ];
    if (to === undefined) return;
    event.preventDefault();
    move(to);
  };
  const drag = (event: PointerEvent): void => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const { right, width } = frame.current!.getBoundingClientRect();
    move(((right - event.clientX) / width) * 100);
  };
  return (
    <div ref={frame} className={styles.split} style={{ '--details': `${share}%` } as object}>
      {main}
      {side && (
        // A separator that can be moved is a control.
        // oxlint-disable jsx-a11y/no-noninteractive-tabindex, jsx-a11y/no-noninteractive-element-interactions
        <div
          role="separator"
          aria-label="Width of the details"
          aria-orientation="vertical"
          aria-valuenow={share}
          aria-valuemin={SHARE.least}
          aria-valuemax={SHARE.most}
          tabIndex={0}
          className={styles.separator}
          onKeyDown={press}
          onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
          onPointerMove={drag}
          onDoubleClick={() => move(SHARE.first)}
        />
        // oxlint-enable jsx-a11y/no-noninteractive-tabindex, jsx-a11y/no-noninteractive-element-interactions
      )}
      {side}
    </div>
  );
}

function storedShare(): number {
  try {
    const stored = Number(localStorage.getItem(STORAGE_KEY));
    return stored >= SHARE.least && stored <= SHARE.most ? stored : SHARE.first;
  } catch {
    return SHARE.first;
  }
}
