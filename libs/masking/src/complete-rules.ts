import { MASKED_FIELDS, type FieldError, type MaskingRule } from '@spandrel/contract';
import { invalidRequest, type LoadedMasker } from '@spandrel/kernel';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { finderOf, type GivenRule } from './engine/prepare-rules.js';

/** Steps that all rules of a project may take for a character of a text: five patterns of the largest size. */
const STEPS_MAX = 10_000;

/**
 * Rules with nothing left out, as they are stored and shown. A pattern may take milliseconds to compile: others have their turn
 * between two.
 * @throws Invalid naming every fault: an unknown masker, a config that its schema or the masker itself refuses, too much work.
 */
export async function completeRules(
  given: readonly GivenRule[],
  maskers: readonly LoadedMasker[],
): Promise<MaskingRule[]> {
  const faults: FieldError[] = [];
  const rules: MaskingRule[] = [];
  let steps = 0;
  for (const [index, rule] of given.entries()) {
    if (index > 0) await nextTurn();
    const made = finderOf(rule, maskers);
    if ('faults' in made) {
      faults.push(...made.faults.map(({ path, message }) => ({ path: `rules[${index}].${path}`, message })));
      continue;
    }
    steps += made.finder.work ?? 1;
    const { masker, fields, replace, label, config } = rule;
    const chosen = MASKED_FIELDS.filter((field) => fields?.includes(field) ?? true);
    rules.push({ masker, fields: chosen, replace, label: label ?? made.masker.extension.label, config: config ?? {} });
  }
  if (steps > STEPS_MAX) {
    faults.push({
      path: 'rules',
      message: `have ${steps} steps together, and may have ${STEPS_MAX}; use smaller patterns`,
    });
  }
  if (faults.length > 0) throw invalidRequest(faults);
  return rules;
}
