import { MASKED_FIELDS, type FieldError, type MaskingRule } from '@spandrel/contract';
import { invalidRequest, type LoadedMasker } from '@spandrel/kernel';
import { finderOf, type GivenRule } from './engine/prepare-rules.js';

/**
 * Rules with nothing left out, as they are stored and shown.
 * @throws Invalid naming every fault: an unknown masker, a config that its schema or the masker itself refuses.
 */
export function completeRules(given: readonly GivenRule[], maskers: readonly LoadedMasker[]): MaskingRule[] {
  const faults: FieldError[] = [];
  const rules = given.flatMap((rule, index) => {
    const made = finderOf(rule, maskers);
    if ('faults' in made) {
      faults.push(...made.faults.map(({ path, message }) => ({ path: `rules[${index}].${path}`, message })));
      return [];
    }
    const { masker, fields, replace, label, config } = rule;
    const chosen = MASKED_FIELDS.filter((field) => fields?.includes(field) ?? true);
    return [{ masker, fields: chosen, replace, label: label ?? made.masker.extension.label, config: config ?? {} }];
  });
  if (faults.length > 0) throw invalidRequest(faults);
  return rules;
}
