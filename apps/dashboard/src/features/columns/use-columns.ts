import { useCallback, useEffect, useMemo, useState } from 'react';
import {
  boundWidth,
  readColumns,
  readWidths,
  writeColumns,
  type ColumnChoice,
  type ColumnWidths,
  type OfferedColumns,
} from './column-choice.js';

export interface UsedColumns {
  chosen: ColumnChoice;
  /** Widths that differ from those that the columns come with. */
  widths: ColumnWidths;
  choose(columns: ColumnChoice): void;
  /** Makes a column wider or narrower. @param isDone whether the width stays, or is still being dragged. */
  resize(id: string, width: number | null, isDone: boolean): void;
  /** Back to the usual columns and widths. */
  reset(): void;
}

/**
 * The columns of a list: what the address says, else what was kept in this browser, else the usual ones.
 * @param list name of the list, for what is kept.
 * @param fromAddress value of `cols`.
 * @param toAddress writes `cols`, in the place of the entry that is there.
 */
export function useColumns(
  list: string,
  offered: OfferedColumns,
  fromAddress: string | undefined,
  toAddress: (text: string | undefined) => void,
): UsedColumns {
  const storageKey = `spandrel.columns.${list}`;
  const source = useMemo(
    () => [fromAddress, kept(storageKey)].find((text) => readColumns(text, offered) !== undefined),
    [fromAddress, offered, storageKey],
  );
  const chosen = useMemo(() => readColumns(source, offered) ?? offered.usual, [source, offered]);
  const settled = useMemo(() => readWidths(source), [source]);
  const [dragged, setDragged] = useState<ColumnWidths | null>(null);
  // A link that is passed on shows the columns that are on screen.
  const text = writeColumns(chosen, settled, offered);
  useEffect(() => {
    if (text !== fromAddress) toAddress(text);
  }, [text, fromAddress, toAddress]);

  const apply = useCallback(
    (columns: ColumnChoice, widths: ColumnWidths) => {
      const next = writeColumns(columns, widths, offered);
      keep(storageKey, next ?? offered.usual.join(','));
      setDragged(null);
      toAddress(next);
    },
    [storageKey, offered, toAddress],
  );
  const resize = useCallback(
    (id: string, width: number | null, isDone: boolean) => {
      const { [id]: _before, ...others } = settled;
      const widths = width === null ? others : { ...others, [id]: boundWidth(width) };
      if (isDone) apply(chosen, widths);
      else setDragged(widths);
    },
    [apply, chosen, settled],
  );
  return {
    chosen,
    widths: dragged ?? settled,
    choose: useCallback((columns: ColumnChoice) => apply(columns, settled), [apply, settled]),
    resize,
    reset: useCallback(() => apply(offered.usual, {}), [apply, offered]),
  };
}

function kept(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function keep(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    // Without storage the choice is in the address alone.
  }
}
