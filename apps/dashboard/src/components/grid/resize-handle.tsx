import { useRef, type PointerEvent } from 'react';
import type { GridColumn } from './grid-column.js';
import styles from './grid.module.css';

interface ResizeHandleProps extends Required<Pick<GridColumn<unknown>, 'onResize'>> {
  /** Called once before the column changes. */
  onGrab(): void;
}

/** Where the pointer was when it took hold, and how wide the column was. */
interface Drag {
  from: number;
  width: number;
  hasMoved: boolean;
}

/** The edge of a header by which a column is dragged wider or narrower; pressed twice it is as it was. Keys have the panel of columns. */
export function ResizeHandle({ onResize, onGrab }: ResizeHandleProps) {
  const drag = useRef<Drag | null>(null);
  const grab = (event: PointerEvent<HTMLElement>): void => {
    if (event.button !== 0) return;
    event.preventDefault();
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = { from: event.clientX, width: event.currentTarget.parentElement!.offsetWidth, hasMoved: false };
  };
  const resize = ({ clientX }: PointerEvent, isDone: boolean): void => {
    const { current } = drag;
    if (current === null || (!current.hasMoved && clientX === current.from)) return;
    if (!current.hasMoved) onGrab();
    current.hasMoved = true;
    onResize(current.width + clientX - current.from, isDone);
  };
  const letGo = (): void => {
    drag.current = null;
  };
  return (
    <span
      aria-hidden="true"
      className={styles.resize}
      onPointerDown={grab}
      onPointerMove={(event) => resize(event, false)}
      onPointerUp={(event) => {
        resize(event, true);
        letGo();
      }}
      onPointerCancel={letGo}
      onDoubleClick={() => onResize(null, true)}
    />
  );
}
