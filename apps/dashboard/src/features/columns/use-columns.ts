import { useCallback, useEffect, useMemo } from 'react';
import { readColumns, writeColumns, type ColumnChoice, type OfferedColumns } from './column-choice.js';

export interface UsedColumns {
  chosen: ColumnChoice;
  choose(columns: ColumnChoice): void;
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
  const chosen = useMemo(
    () => readColumns(fromAddress, offered) ?? readColumns(kept(storageKey), offered) ?? offered.usual,
    [fromAddress, offered, storageKey],
  );
  // A link that is passed on shows the columns that are on screen.
  const text = writeColumns(chosen, offered);
  useEffect(() => {
    if (text !== fromAddress) toAddress(text);
  }, [text, fromAddress, toAddress]);
  const choose = useCallback(
    (columns: ColumnChoice) => {
      keep(storageKey, columns.join(','));
      toAddress(writeColumns(columns, offered));
    },
    [storageKey, offered, toAddress],
  );
  return { chosen, choose };
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
