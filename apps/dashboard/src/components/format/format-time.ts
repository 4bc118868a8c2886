/** In which zone times are told. */
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
