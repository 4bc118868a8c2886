import type { CaptureFilters } from '@spandrel/contract';

const TEXT_FILTERS = ['model', 'provider', 'kind', 'name_contains', 'tag'] as const;
const NUMBER_FILTERS = ['min_cost', 'min_tokens', 'min_duration_ms'] as const;
type TextFilter = (typeof TEXT_FILTERS)[number];
type NumberFilter = (typeof NUMBER_FILTERS)[number];

/** The filters of a rule as they are filled in: all texts, empty for what does not count. */
export interface FilterForm extends Record<TextFilter | NumberFilter, string> {
  status: '' | 'completed' | 'failed';
}

/** The fields of filters. */
export function filterFormOf(filters: CaptureFilters): FilterForm {
  const texts = Object.fromEntries(
    [...TEXT_FILTERS, ...NUMBER_FILTERS].map((id) => [id, String(filters[id] ?? '')]),
  ) as Record<TextFilter | NumberFilter, string>;
  return { ...texts, status: filters.status ?? '' };
}

/** What the fields say; `null` while a number is none. */
export function readFilters(form: FilterForm): CaptureFilters | null {
  const numbers = NUMBER_FILTERS.map((id) => [id, form[id].trim() === '' ? undefined : numberIn(form[id])] as const);
  if (numbers.some(([, value]) => value === null)) return null;
  return Object.fromEntries([
    ...TEXT_FILTERS.filter((id) => form[id] !== '').map((id) => [id, form[id]]),
    ...(form.status === '' ? [] : [['status', form.status]]),
    ...numbers.filter(([, value]) => value !== undefined),
  ]);
}

/** Filters that have another name in words. */
const FILTER_WORDS: Readonly<Record<string, string>> = {
  name_contains: 'name contains',
  min_cost: 'cost at least $',
  min_tokens: 'tokens at least',
  min_duration_ms: 'milliseconds at least',
};

/** The filters of a rule in words. @param all what a rule without any takes. */
export function describeFilters(filters: CaptureFilters, all = 'Every finished span'): string {
  const words = Object.entries(filters)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([id, value]) => `${FILTER_WORDS[id] ?? id}${id === 'min_cost' ? '' : ' '}${String(value)}`);
  return words.length === 0 ? all : words.join(', ');
}

/** The part that is taken, in percent, without the noise of binary fractions. */
export const percentOf = (rate: number): number => Number((Number(rate) * 100).toPrecision(12));

/** The part that a percentage says; `null` where it is none. */
export function readPercent(text: string): number | null {
  const percent = numberIn(text);
  return percent === null || percent > 100 ? null : Number((percent / 100).toPrecision(12));
}

/** A number of 0 or more; `null` where a text is none. */
function numberIn(text: string): number | null {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(number) && number >= 0 ? number : null;
}
