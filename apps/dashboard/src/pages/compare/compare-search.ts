import type { ComparedOnly } from '@spandrel/contract';
import { DIVISION, type Division } from '../../features/statistics/division.js';
import { readTexts } from '../../features/filters/list-search.js';

export interface CompareSearch extends Division {
  /** Ids of the runs, with commas between. */
  runs?: string;
  /** The run that the others are compared with; the first unless given. */
  baseline?: string;
  only?: Exclude<ComparedOnly, 'all' | 'failed'>;
  item?: string;
}

/** Reads an address; what it does not know is left out. */
export function readCompareSearch(search: Record<string, unknown>): CompareSearch {
  const { only } = search;
  return {
    ...readTexts(search, ['runs', 'baseline', ...DIVISION, 'item']),
    ...((only === 'regressed' || only === 'improved' || only === 'changed') && { only }),
  };
}

export const runIdsOf = ({ runs = '' }: CompareSearch): string[] => [
  ...new Set(runs.split(',').flatMap((id) => id.trim() || [])),
];

/** Values that differ by less are the same: sums of the same numbers in another order differ so. */
const SAME = 1e-12;

/** A value as it was and is, with its change: `1 → 0.5 (-0.5)`. @param format writes a value, `–` for none. */
export function describeChange(
  before: number | null | undefined,
  after: number | null | undefined,
  format: (value: number | null | undefined) => string,
): string {
  const words = `${format(before)} → ${format(after)}`;
  if (before == null || after == null) return words;
  const change = after - before;
  if (Math.abs(change) < SAME) return `${words} (no change)`;
  return `${words} (${change > 0 ? '+' : '-'}${format(Math.abs(change))})`;
}
