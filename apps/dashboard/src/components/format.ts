import { formatCount, NONE } from '@spandrel/contract/browser';

export type Zone = 'local' | 'utc';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * A moment as lists show it: `just now`, `12 s ago`, `5 min ago`, `3 h ago`, beyond a day `2026-11-22 14:03:05`.
 * @param at and @param now milliseconds since 1970.
 */
export function formatMoment(at: number, now: number, zone: Zone): string {
  const ago = now - at;
  if (ago < 0 || ago >= DAY) return formatTime(at, zone);
  if (ago < 1_000) return 'just now';
  if (ago < MINUTE) return `${Math.floor(ago / 1_000)} s ago`;
  if (ago < HOUR) return `${Math.floor(ago / MINUTE)} min ago`;
  return `${Math.floor(ago / HOUR)} h ago`;
}

/** `2026-11-22 14:03:05`: the order of the parts is the order of time. */
export function formatTime(at: number, zone: Zone): string {
  const { date, time } = partsOf(at, zone);
  return `${date} ${time}`;
}

/** With milliseconds and zone: `2026-11-22 14:03:05.123 UTC+01:00`. */
export function formatTimeExactly(at: number, zone: Zone): string {
  const { date, time, fraction } = partsOf(at, zone);
  return `${date} ${time}.${fraction} ${zoneName(at, zone)}`;
}

/** `UTC`, `UTC+01:00`: the zone of a moment, which summer time may change. */
export function zoneName(at: number, zone: Zone): string {
  const minutes = zone === 'utc' ? 0 : -new Date(at).getTimezoneOffset();
  if (minutes === 0) return 'UTC';
  const size = Math.abs(minutes);
  return `UTC${minutes < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`;
}

/** Milliseconds after which {@link formatMoment} says something else, at the earliest; `null` when it never will. */
export function changesAfter(at: number, now: number): number | null {
  const ago = now - at;
  if (ago >= DAY) return null;
  if (ago < 0) return -ago;
  const step = ago < MINUTE ? 1_000 : ago < HOUR ? MINUTE : HOUR;
  return step - (ago % step);
}

function partsOf(at: number, zone: Zone): { date: string; time: string; fraction: string } {
  const shift = zone === 'utc' ? 0 : new Date(at).getTimezoneOffset() * MINUTE;
  const [date = '', clock = ''] = new Date(at - shift).toISOString().split('T');
  return { date, time: clock.slice(0, 8), fraction: clock.slice(9, 12) };
}

const two = (part: number): string => String(part).padStart(2, '0');

const SECOND = 1_000;

/**
 * A length of time as people read it: `0 ms`, `0.4 ms`, `12 ms`, `1.23 s`, `12.3 s`, `2 min 5 s`, `3 h 20 min`.
 * @param ms milliseconds; `null` where there is none, as of a running span.
 */
export function formatDuration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return NONE;
  // What rounds to none has no sign.
  if (ms <= -0.05) return `-${formatDuration(-ms)}`;
  if (ms < 0) return formatDuration(0);
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

const SIGNIFICANT_DIGITS = 3;
const CENTS = 2;
const FRACTION_DIGITS_MAX = 20;

/**
 * Dollars as `$12.30`, `$0.0123`, `$0.00000045`: cents as a rule, below a dollar so many digits that a cost is never
 * rounded to 0. @param dollars `null` where there is no cost.
 */
export function formatCost(dollars: number | null | undefined): string {
  if (dollars === null || dollars === undefined) return NONE;
  if (dollars === 0) return '$0';
  return withDigits(dollars, fractionDigitsOf(Math.abs(dollars)));
}

/** Decimals of a column of costs at most. */
const COLUMN_DIGITS_MAX = 6;

/** Decimals with which costs stand in one column: as many as the one that needs most, up to 6. */
export function costDigits(costs: readonly (number | null | undefined)[]): number {
  const needed = costs.map((cost) => formatCost(cost).split('.')[1]?.length ?? 0);
  return Math.min(COLUMN_DIGITS_MAX, Math.max(CENTS, ...needed));
}

/** Dollars as one of a column: `$12.3000`, `$0.0123`, `<$0.0001` for less than is shown. @param digits decimals of the column. */
export function formatColumnCost(dollars: number | null | undefined, digits: number): string {
  if (!dollars) return formatCost(dollars);
  const least = 10 ** -digits;
  return dollars > 0 && dollars < least ? `<${withDigits(least, digits, digits)}` : withDigits(dollars, digits, digits);
}

/** Dollars with every digit that is known, for tooltips and copies. */
export function formatCostExactly(dollars: number | null | undefined): string {
  if (dollars === null || dollars === undefined) return NONE;
  return withDigits(dollars, FRACTION_DIGITS_MAX);
}

/** @param most and @param least digits behind the point. */
function withDigits(dollars: number, most: number, least = CENTS): string {
  const key = `${least} ${most}`;
  let format = FORMATS.get(key);
  if (format === undefined) {
    format = new Intl.NumberFormat('en-US', {
      style: 'currency',
      currency: 'USD',
      minimumFractionDigits: least,
      maximumFractionDigits: most,
    });
    FORMATS.set(key, format);
  }
  return format.format(dollars);
}

/** Formats by their numbers of digits: to make one takes longer than a thousand uses of it. */
const FORMATS = new Map<string, Intl.NumberFormat>();

function fractionDigitsOf(amount: number): number {
  if (amount >= 1) return CENTS;
  const leadingZeros = Math.max(0, -Math.floor(Math.log10(amount)) - 1);
  return Math.min(FRACTION_DIGITS_MAX, leadingZeros + SIGNIFICANT_DIGITS);
}

/** An id as people can distinguish it from others: in quotes where blanks at its ends, or nothing at all, would not be seen. */
export const formatId = (id: string): string => (id !== '' && id.trim() === id ? id : JSON.stringify(id));

/** Words with their first letter large. */
export const capitalized = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1);

/** A part of a whole in percent; a dash where there is none. */
export function shareOf(own: number | null, whole: number | null): string {
  if (own === null || whole === null || whole === 0) return NONE;
  const percent = (own / whole) * 100;
  return percent > 0 && percent < 0.1 ? '<0.1%' : `${percent.toFixed(1)}%`;
}
