import { useVirtualizer } from '@tanstack/react-virtual';
import { memo, useEffect, useLayoutEffect, useRef } from 'react';
import { rowAtOffset, rowText, markMatches } from './text-rows.js';
import styles from './text-view.module.css';

interface TextViewProps {
  label: string;
  text: string;
  /** Offsets at which rows begin (`rowStarts`). */
  starts: Int32Array;
  wraps: boolean;
  /** Marked wherever it is; `''` for nothing. */
  sought: string;
  /** Offset to bring into view, such as that of a match; -1 for none. */
  shownOffset: number;
}

/** So much is laid out at once: marking with the mouse and the browser's own search reach all of it. */
const ROWS_AT_ONCE = 400;
const LENGTH_AT_ONCE = 60_000;

/** A text of any length, with its own line breaks. Rows of a long one exist while they are near the screen. */
export function TextView(props: TextViewProps) {
  const { text, starts, wraps } = props;
  if (starts.length <= ROWS_AT_ONCE && text.length <= LENGTH_AT_ONCE) return <WholeText {...props} />;
  return <RowsInView key={String(wraps)} {...props} />;
}

function WholeText({ label, text, starts, wraps, sought, shownOffset }: TextViewProps) {
  const scroller = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (shownOffset < 0) return;
    const row = scroller.current?.children[rowAtOffset(starts, shownOffset)];
    row?.scrollIntoView({ block: 'nearest' });
  }, [starts, shownOffset]);
  return (
    // What scrolls can have the focus, so that keys can scroll it.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div ref={scroller} role="group" aria-label={label} tabIndex={0} className={styles.text} data-wraps={wraps}>
      {Array.from(starts, (start, row) => (
        <div key={start} className={styles.row}>
          <MarkedText text={rowText(text, starts, row)} sought={sought} />
        </div>
      ))}
    </div>
  );
}

/** Pixels of a row without wrapping, as the style sheet has it. */
const LINE_HEIGHT = 18;

/** Characters of a line in a pane of usual width: a guess until a block is measured. */
const LINE_LENGTH = 90;
/** Rows that are measured together: a text of 10 MB has hundreds of thousands of them. */
export const BLOCK = 16;

function RowsInView({ label, text, starts, wraps, sought, shownOffset }: TextViewProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const virtualizer = useVirtualizer({
    count: Math.ceil(starts.length / BLOCK),
    getScrollElement: () => scroller.current,
    estimateSize: (block) =>
      (wraps ? estimatedLines(text, starts, block) : rowsOfBlock(block, starts.length).length) * LINE_HEIGHT,
    overscan: 2,
  });
  useLayoutEffect(() => {
    if (shownOffset < 0) return undefined;
    const row = rowAtOffset(starts, shownOffset);
    virtualizer.scrollToIndex(Math.floor(row / BLOCK), { align: 'center' });
    const frame = requestAnimationFrame(() => {
      scroller.current?.querySelector(`[data-row="${row}"]`)?.scrollIntoView({ block: 'center' });
    });
    return () => cancelAnimationFrame(frame);
  }, [virtualizer, starts, shownOffset]);
  const items = virtualizer.getVirtualItems();
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div ref={scroller} role="group" aria-label={label} tabIndex={0} className={styles.text} data-wraps={wraps}>
      <div className={styles.rows} style={{ height: virtualizer.getTotalSize() }}>
        <div className={styles.window} style={{ transform: `translateY(${items[0]?.start ?? 0}px)` }}>
          {items.map(({ index }) => (
            <div key={index} ref={virtualizer.measureElement} data-index={index}>
              {rowsOfBlock(index, starts.length).map((row) => (
                <div key={row} data-row={row} className={styles.row}>
                  <MarkedText text={rowText(text, starts, row)} sought={sought} />
                </div>
              ))}
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}

/** The rows of a block, of so many rows in all. */
export function rowsOfBlock(block: number, count: number): number[] {
  const first = block * BLOCK;
  return Array.from({ length: Math.min(BLOCK, count - first) }, (_, offset) => first + offset);
}

function estimatedLines(text: string, starts: Int32Array, block: number): number {
  let lines = 0;
  for (const row of rowsOfBlock(block, starts.length)) {
    const length = (starts[row + 1] ?? text.length) - starts[row]!;
    lines += Math.max(1, Math.ceil(length / LINE_LENGTH));
  }
  return lines;
}

/** A text with what is looked for marked in it. */
export const MarkedText = memo(function MarkedText({ text, sought }: { text: string; sought: string }) {
  if (sought === '') return text;
  // Pieces of one text have nothing but their order to be distinguished by.
  // oxlint-disable-next-line react/no-array-index-key
  return markMatches(text, sought).map((piece, index) =>
    piece.isMatch ? <mark key={index}>{piece.text}</mark> : piece.text,
  );
});
