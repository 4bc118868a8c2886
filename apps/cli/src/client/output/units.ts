/** How numbers and times are shown to people. What is not known is an empty text. */

import { formatCount } from '@spandrel/contract/browser';

/** @returns `1,234`. */
export const countText = (count: number | null | undefined): string =>
  count === null || count === undefined ? '' : formatCount(count);

/** @returns `12 ms`, `1.24 s`, `3 min 05 s` or `2 h 07 min`; a minus before one below zero, as differences have. */
export function durationText(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return '';
  // Half a millisecond rounds to none, which has no sign.
  if (ms <= -0.5) return `-${durationText(-ms)}`;
  if (ms < 999.5) return `${Math.round(Math.max(ms, 0))} ms`;
  const seconds = ms / 1000;
  if (seconds < 59.95) return `${seconds.toFixed(seconds < 9.995 ? 2 : 1)} s`;
  const [large, small, units] =
    seconds < 3_599.5 ? [Math.round(seconds), 60, 'min s'] : [Math.round(seconds / 60), 60, 'h min'];
  const [first, second] = units.split(' ');
  return `${Math.floor(large / small)} ${first} ${String(large % small).padStart(2, '0')} ${second}`;
}

/** @returns dollars: `$12.34`, of less than a dollar with three digits that count: `$0.00123`. */
export function costText(dollars: number | null | undefined): string {
  if (dollars === null || dollars === undefined) return '';
  if (dollars === 0 || dollars >= 1) return `$${dollars.toFixed(2)}`;
  const decimals = Math.min(12, Math.max(2, 2 - Math.floor(Math.log10(dollars))));
  return `$${dollars.toFixed(decimals).replace(/(\.\d\d\d{0,10}?)0+$/, '$1')}`;
}

/** @returns `12.3%`. @param part of 1. */
export const percentText = (part: number | null | undefined): string =>
  part === null || part === undefined ? '' : `${(part * 100).toFixed(1)}%`;

/** @returns `1.2 MB`. */
export function bytesText(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB'];
  let unit = 0;
  let amount = bytes;
  while (amount >= 999.5 && unit < units.length - 1) {
    amount /= 1000;
    unit++;
  }
  return `${unit === 0 || amount >= 99.5 ? Math.round(amount) : amount.toFixed(1)} ${units[unit]}`;
}

/** @returns `2026-11-23 15:46:01` of this machine's zone for a terminal; as it is, which means the same everywhere, else. */
export function timeText(timestamp: string | null | undefined, isTerminal: boolean): string {
  if (timestamp === null || timestamp === undefined) return '';
  if (!isTerminal) return timestamp;
  const time = new Date(timestamp);
  const two = (part: number): string => String(part).padStart(2, '0');
  const day = [time.getFullYear(), two(time.getMonth() + 1), two(time.getDate())].join('-');
  return `${day} ${[time.getHours(), time.getMinutes(), time.getSeconds()].map(two).join(':')}`;
}
