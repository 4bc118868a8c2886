import type { CaptureRuleResource, CreateCaptureRule } from '@spandrel/contract';
import {
  filterFormOf,
  percentOf,
  readFilters,
  readPercent,
  type FilterForm,
} from '../../features/span-filters/filter-form.js';

/** The fields of a rule as they are filled in: all texts, empty for what does not count. */
export interface RuleForm extends FilterForm {
  name: string;
  sample: string;
}

/** The fields of a rule. @param rule `null` for a new one. */
export const formOf = (rule: CaptureRuleResource | null): RuleForm => ({
  ...filterFormOf(rule?.filters ?? {}),
  name: rule?.name ?? '',
  sample: String(percentOf(rule?.sample_rate ?? 1)),
});

/** What the fields say; `null` while a number is none. */
export function readRule(form: RuleForm): CreateCaptureRule | null {
  const [sample_rate, filters] = [readPercent(form.sample), readFilters(form)];
  return sample_rate === null || filters === null ? null : { name: form.name.trim(), filters, sample_rate };
}
