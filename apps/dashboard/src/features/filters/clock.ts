import { formatTime, type Zone } from '../../components/format.js';

/** The text of a field for date and time. @param at a timestamp of the API. */
export function writeClock(at: string | undefined, zone: Zone): string {
  return at === undefined ? '' : formatTime(Date.parse(at), zone).replace(' ', 'T');
}

/** The timestamp that such a field says; `undefined` while it is empty or half written. */
export function readClock(text: string, zone: Zone): string | undefined {
  const at = Date.parse(zone === 'utc' ? `${text}Z` : text);
  return Number.isNaN(at) ? undefined : new Date(at).toISOString();
}
