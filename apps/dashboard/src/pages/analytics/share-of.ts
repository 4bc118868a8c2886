import { NONE } from '@spandrel/contract/browser';

/** A part of a whole in percent; a dash where there is none. */
export function shareOf(own: number | null, whole: number | null): string {
  if (own === null || whole === null || whole === 0) return NONE;
  const percent = (own / whole) * 100;
  return percent > 0 && percent < 0.1 ? '<0.1%' : `${percent.toFixed(1)}%`;
}
