const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Ranges that end now, by the word in the address. */
const LENGTHS_MS = { '15m': 15 * MINUTE, '1h': HOUR, '24h': DAY, '7d': 7 * DAY, '30d': 30 * DAY } as const;

type Range = keyof typeof LENGTHS_MS;

/** A range of time as an address has it: a word for one that goes with the clock, or fixed ends. */
export interface TimeRange {
  range?: Range;
  since?: string;
  until?: string;
}

/** A range that can be chosen. @param isTyped replaces the entry of the history in place of adding one. */
export interface TimeRangeFieldProps {
  value: TimeRange;
  onChange(value: TimeRange, isTyped: boolean): void;
}

/** What the combobox `Time range` offers, first to last. */
export const RANGE_OPTIONS = [
  { value: 'all', label: 'All time' },
  { value: '15m', label: 'Last 15 minutes' },
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '7d', label: 'Last 7 days' },
  { value: '30d', label: 'Last 30 days' },
  { value: 'custom', label: 'Custom' },
] as const;

export type RangeChoice = (typeof RANGE_OPTIONS)[number]['value'];

/** Reads the range of an address; what is no range or no time is left out. */
export function readTimeRange(search: Record<string, unknown>): TimeRange {
  const { range, since, until } = search;
  if (typeof range === 'string' && Object.hasOwn(LENGTHS_MS, range)) return { range: range as Range };
  return { ...(isTime(since) && { since }), ...(isTime(until) && { until }) };
}

/** Which option of the combobox a range is. */
export function choiceOf({ range, since, until }: TimeRange): RangeChoice {
  return range ?? (since !== undefined || until !== undefined ? 'custom' : 'all');
}

/** The range of an option. @param now where `Custom` begins: the day before this, in milliseconds. */
export function rangeOfChoice(choice: RangeChoice, now: number): TimeRange {
  if (choice === 'all') return {};
  if (choice !== 'custom') return { range: choice };
  return { since: new Date(Math.floor((now - DAY) / MINUTE) * MINUTE).toISOString() };
}

/** The ends to ask the API for. @param now milliseconds; a range that goes with the clock ends then. */
export function endsOf({ range, since, until }: TimeRange, now: number): { since?: string; until?: string } {
  if (range !== undefined) return { since: new Date(now - LENGTHS_MS[range]).toISOString() };
  return { ...(since !== undefined && { since }), ...(until !== undefined && { until }) };
}

/** A range in words: `Last 24 hours`, `since …`. @param format writes a moment. */
export function describeRange(timeRange: TimeRange, format: (at: number) => string): string {
  const { since, until } = timeRange;
  const choice = choiceOf(timeRange);
  if (choice !== 'custom') return RANGE_OPTIONS.find(({ value }) => value === choice)!.label;
  if (since === undefined) return `until ${format(Date.parse(until!))}`;
  return until === undefined
    ? `since ${format(Date.parse(since))}`
    : `${format(Date.parse(since))} to ${format(Date.parse(until))}`;
}

function isTime(value: unknown): value is string {
  return typeof value === 'string' && !Number.isNaN(Date.parse(value));
}
