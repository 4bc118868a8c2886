import type { CaptureFilters } from '@spandrel/contract';
import { formatCount } from '@spandrel/contract/browser';
import { capitalized, formatCost, formatDuration } from '../../components/format.js';
import { KIND_WORDS } from '../kind-words.js';

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

/** Filters that have another name in words, or another way to say their values. */
const FILTER_WORDS: Readonly<Record<string, readonly [name: string, say?: (value: unknown) => string]>> = {
  kind: ['Kind', (value) => KIND_WORDS.get(String(value)) ?? String(value)],
  name_contains: ['Name contains'],
  min_cost: ['Cost ≥', (value) => formatCost(Number(value))],
  min_tokens: ['Tokens ≥', (value) => formatCount(Number(value))],
  min_duration_ms: ['Duration ≥', (value) => formatDuration(Number(value))],
};

/** The filters of a rule in words. @param all what a rule without any takes. */
export function describeFilters(filters: CaptureFilters, all = 'Every finished span'): string {
  const words = Object.entries(filters)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([id, value]) => {
      const [name, say = String] = FILTER_WORDS[id] ?? [capitalized(id)];
      return `${name} ${say(value)}`;
    });
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
