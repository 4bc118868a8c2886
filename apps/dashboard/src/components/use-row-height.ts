import { useMemo } from 'react';
import { usePreferences } from './preferences/use-preferences.js';

/** Pixels of one row of a list: the token `--row`, which goes with the density. */
export function useRowHeight(): number {
  const { density } = usePreferences();
  return useMemo(() => rowHeightAt(density), [density]);
}

function rowHeightAt(_density: string): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).getPropertyValue('--row'));
}
