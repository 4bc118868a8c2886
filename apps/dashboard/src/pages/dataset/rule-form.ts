import type { CaptureFilters, CaptureRuleResource, CreateCaptureRule } from '@spandrel/contract';

/** The fields of a rule as they are filled in: all texts, empty for what does not count. */
export interface RuleForm extends Record<TextFilter | NumberFilter, string> {
  name: string;
  status: '' | 'completed' | 'failed';
  /** Part of the matching spans in percent. */
  sample: string;
}

const TEXT_FILTERS = ['model', 'provider', 'kind', 'name_contains', 'tag'] as const;
const NUMBER_FILTERS = ['min_cost', 'min_tokens', 'min_duration_ms'] as const;
type TextFilter = (typeof TEXT_FILTERS)[number];
type NumberFilter = (typeof NUMBER_FILTERS)[number];

/** The fields of a rule. @param rule `null` for a new one. */
export function formOf(rule: CaptureRuleResource | null): RuleForm {
  const filters: CaptureFilters = rule?.filters ?? {};
  const texts = Object.fromEntries(
    [...TEXT_FILTERS, ...NUMBER_FILTERS].map((id) => [id, String(filters[id] ?? '')]),
  ) as Record<TextFilter | NumberFilter, string>;
  const sample = String(percentOf(rule?.sample_rate ?? 1));
  return { ...texts, name: rule?.name ?? '', status: filters.status ?? '', sample };
}

/** What the fields say; `null` while a number is none. */
export function readRule(form: RuleForm): CreateCaptureRule | null {
  const sample = numberIn(form.sample);
  const numbers = NUMBER_FILTERS.map((id) => [id, form[id].trim() === '' ? undefined : numberIn(form[id])] as const);
  if (sample === null || sample > 100 || numbers.some(([, value]) => value === null)) return null;
  const filters: CaptureFilters = Object.fromEntries([
    ...TEXT_FILTERS.filter((id) => form[id] !== '').map((id) => [id, form[id]]),
    ...(form.status === '' ? [] : [['status', form.status]]),
    ...numbers.filter(([, value]) => value !== undefined),
  ]);
  return { name: form.name.trim(), filters, sample_rate: Number((sample / 100).toPrecision(12)) };
}

/** Filters that have another name in words. */
const FILTER_WORDS: Readonly<Record<string, string>> = {
  name_contains: 'name contains',
  min_cost: 'cost at least $',
  min_tokens: 'tokens at least',
  min_duration_ms: 'milliseconds at least',
};

/** The filters of a rule in words; a rule without any takes every span. */
export function describeFilters(filters: CaptureFilters): string {
  const words = Object.entries(filters)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([id, value]) => `${FILTER_WORDS[id] ?? id}${id === 'min_cost' ? '' : ' '}${String(value)}`);
  return words.length === 0 ? 'Every finished span' : words.join(', ');
}

/** The part of spans that is taken, in percent, without the noise of binary fractions. */
export const percentOf = (rate: number): number => Number((Number(rate) * 100).toPrecision(12));

function numberIn(text: string): number | null {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(number) && number >= 0 ? number : null;
}
