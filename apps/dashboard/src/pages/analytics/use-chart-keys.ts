import { useState, type KeyboardEvent } from 'react';

export interface ChartKeysOptions {
  /** Buckets there are. */
  length: number;
  cursor: number | null;
  onCursor(bucket: number): void;
  onOpen(bucket: number): void;
  onZoom(first: number, last: number): void;
}

/** The keys of a chart: arrows, Home and End move the cursor, with Shift they mark, Enter opens or zooms, Escape unmarks. */
export function useChartKeys({ length, cursor, onCursor, onOpen, onZoom }: ChartKeysOptions) {
  const [anchor, setAnchor] = useState<number | null>(null);
  const [isUsed, setIsUsed] = useState(false);
  const mark =
    anchor === null || cursor === null ? null : ([Math.min(anchor, cursor), Math.max(anchor, cursor)] as const);
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const next = destination(event.key, cursor, length);
    if (next !== undefined) {
      event.preventDefault();
      setIsUsed(true);
      setAnchor(event.shiftKey ? (anchor ?? cursor ?? next) : null);
      onCursor(next);
    } else if (event.key === 'Enter' && cursor !== null) {
      event.preventDefault();
      if (mark === null) onOpen(cursor);
      else onZoom(...mark);
      setAnchor(null);
    } else if (event.key === 'Escape' && anchor !== null) {
      event.stopPropagation();
      setAnchor(null);
    }
  };
  const onBlur = (): void => {
    setIsUsed(false);
    setAnchor(null);
  };
  return { handlers: { onKeyDown, onBlur }, mark, isUsed };
}

/** Where a key leads; the first one comes to the newest bucket. */
function destination(key: string, cursor: number | null, length: number): number | undefined {
  if (length === 0) return undefined;
  if (key === 'Home') return 0;
  if (key === 'End') return length - 1;
  const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
  if (step === undefined) return undefined;
  return cursor === null ? length - 1 : Math.min(Math.max(cursor + step, 0), length - 1);
}
