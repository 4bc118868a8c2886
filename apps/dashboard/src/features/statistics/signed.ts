import { NONE } from '../../components/format/format-count.js';

/** An amount with its sign: `+12 ms`, `-$0.001`, `0`. @param format writes an amount without one. */
export function signed(amount: number | null, format: (amount: number) => string): string {
  if (amount === null) return NONE;
  const words = format(Math.abs(amount));
  if (amount === 0 || words === format(0)) return format(0);
  return `${amount > 0 ? '+' : '-'}${words}`;
}
