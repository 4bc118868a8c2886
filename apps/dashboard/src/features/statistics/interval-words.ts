import { NONE } from '../../components/format/format-count.js';
import { formatScore } from '../runs/format-score.js';

/** Bounds between which a value lies. */
export interface Bounds {
  low: number;
  high: number;
  /** How often such an interval holds the value, from 0 to 1. */
  level: number;
}

/** `0.397 to 0.892`. @param format writes a bound, as a score unless given. */
export function formatInterval(ci: Bounds | null, format: (value: number) => string = formatScore): string {
  return ci === null ? NONE : `${format(ci.low)} to ${format(ci.high)}`;
}

/** What a screen reader says of an error bar, behind its value: `95% interval 0.397 to 0.892`. */
export function describeInterval(ci: Bounds | null, format?: (value: number) => string): string {
  return ci === null ? 'no interval' : `${Number((ci.level * 100).toFixed(2))}% interval ${formatInterval(ci, format)}`;
}

/** A p value: `0.065`, and `< 0.001` for what three digits would show as none. */
export function formatP(p: number | null): string {
  if (p === null) return NONE;
  return p < 0.001 ? '< 0.001' : String(Number(p.toFixed(3)));
}
