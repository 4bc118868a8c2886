import { formatCount, NONE } from '@spandrel/contract/browser';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/**
 * A length of time as people read it: `0 ms`, `0.4 ms`, `12 ms`, `1.23 s`, `12.3 s`, `2 min 5 s`, `3 h 20 min`.
 * @param ms milliseconds; `null` where there is none, as of a running span.
 */
export function formatDuration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return NONE;
  if (ms < 0) return `-${formatDuration(-ms)}`;
  if (Math.round(ms) < SECOND) return `${ms >= 10 ? Math.round(ms) : shorten(ms, 1)} ms`;
  const seconds = ms / SECOND;
  if (seconds < 9.995) return `${seconds.toFixed(2)} s`;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  if (ms < HOUR) return inTwo(Math.round(seconds), 60, 'min', 's');
  return inTwo(Math.round(ms / MINUTE), 60, 'h', 'min');
}

/** Every digit that is known: `1,234.5 ms`. */
export function formatDurationExactly(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return NONE;
  return `${Number.isInteger(ms) ? formatCount(ms) : String(ms)} ms`;
}

function inTwo(amount: number, base: number, large: string, small: string): string {
  const rest = amount % base;
  const whole = `${formatCount((amount - rest) / base)} ${large}`;
  return rest === 0 ? whole : `${whole} ${rest} ${small}`;
}

const shorten = (value: number, digits: number): string => String(Number(value.toFixed(digits)));
