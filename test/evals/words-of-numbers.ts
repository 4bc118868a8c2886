/** Numbers as people read them on all surfaces, written down once more: three digits, and no zeros behind them. */
import type { recountComparison } from './recounted-items.ts';

/** `0.667` */
export const short = (value: number): string => String(Math.round(value * 1_000) / 1_000);

/** `66.7%` */
export const percent = (rate: number): string => `${Math.round(rate * 1_000) / 10}%`;

/** `+0.05`, `-0.24`, `0` */
export function signed(value: number): string {
  const words = short(Math.abs(value));
  return words === '0' ? words : `${value > 0 ? '+' : '-'}${words}`;
}

/** `0.397 to 0.892` */
export const interval = ({ low, high }: { low: number; high: number }): string => `${short(low)} to ${short(high)}`;

/** `0.065`, `< 0.001` */
export const pWords = (p: number): string => (p < 0.001 ? '< 0.001' : short(p));

/** `$12.34`, `$0.312` */
export const dollars = (value: number): string =>
  `$${value >= 1 ? value.toFixed(2) : String(Number(value.toPrecision(3))).padEnd(4, '0')}`;

type Difference = ReturnType<typeof recountComparison>['score'];

/** `+0.067 (95% interval 0.035 to 0.099, p < 0.001); 130 better, 80 worse, 90 the same` */
export const differenceWords = ({ diff, ci, p_value: p, better, worse, same }: Difference): string =>
  `${signed(diff)} (95% interval ${interval(ci)}, p ${pWords(p)}); ${better} better, ${worse} worse, ${same} the same`;
