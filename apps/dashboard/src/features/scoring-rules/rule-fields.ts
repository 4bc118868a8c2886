import type { CreateScoringRule, ScoringRuleResource } from '@spandrel/contract';
import { FormFault } from '../../api/form-faults.js';
import { JUDGE } from '../scorer-words.js';
import { readAnswer } from '../scores/score-answer.js';
import {
  filterFormOf,
  numberIn,
  percentOf,
  readFilters,
  readPercent,
  type FilterForm,
} from '../span-filters/filter-form.js';

/** What the fields of a scoring rule hold: texts, since they may be half written. */
export interface RuleFields extends FilterForm {
  name: string;
  target: ScoringRuleResource['target'];
  trigger: ScoringRuleResource['trigger'];
  /** The score that has the rule judge, with the trigger `score`. */
  onName: string;
  onSource: string;
  onAnswer: string;
  /** Seconds; `''` for the usual ones. */
  quiet: string;
  /** Tags that are left out, with commas between them. */
  excluded: string;
  /** Percent. */
  sample: string;
  cohort: string;
  scoring: string;
  /** JSON of the scorer's settings. */
  settings: string;
  connection: string;
  judgeModel: string;
  /** A name of {@link rubricsOf}, {@link OWN_RUBRIC}, or `''` for the built-in one. */
  rubric: string;
  ownRubric: string;
  scoreName: string;
  budget: string;
}

/** The choice of a rubric in words of one's own. */
export const OWN_RUBRIC = '*';

/** The names of rubrics that a scorer comes with. @param schema of its settings. */
export function rubricsOf(schema: Readonly<Record<string, unknown>> | null | undefined): readonly string[] {
  const { properties } = (schema ?? {}) as { properties?: { rubric?: { examples?: readonly string[] } } };
  return properties?.rubric?.examples ?? [];
}

/** The fields of a rule. @param rule `null` for a new one. @param rubrics known by name. */
export function fieldsOf(rule: ScoringRuleResource | null, rubrics: readonly string[]): RuleFields {
  const { exclude_tag: excluded, ...filters } = rule?.filters ?? { exclude_tag: ['eval'] };
  const { scoring_config: settings = null, judge = null, on_score: on = null } = rule ?? {};
  const rubric = rule?.scoring === JUDGE ? String(settings?.['rubric'] ?? judge?.rubric ?? '') : '';
  const isOwn = rubric !== '' && !rubrics.includes(rubric);
  return {
    ...filterFormOf(filters),
    ...{ name: rule?.name ?? '', target: rule?.target ?? 'span', trigger: rule?.trigger ?? 'ended' },
    ...{ onName: on?.name ?? '', onSource: on?.source ?? '', onAnswer: answerOf(on) },
    quiet: rule === null || rule.target === 'span' ? '' : String(rule.quiet_ms / 1_000),
    excluded: (excluded ?? []).join(', '),
    ...{ sample: String(percentOf(rule?.sample_rate ?? 1)), cohort: rule?.cohort ?? '' },
    scoring: rule?.scoring ?? JUDGE,
    settings: settings === null || rule?.scoring === JUDGE ? '' : JSON.stringify(settings, null, 2),
    ...{ connection: judge?.connection_id ?? '', judgeModel: judge?.model ?? '' },
    ...{ rubric: isOwn ? OWN_RUBRIC : rubric, ownRubric: isOwn ? rubric : '' },
    scoreName: rule === null || rule.score_name === rule.name ? '' : rule.score_name,
    budget: String(rule?.max_cost_usd_per_day ?? ''),
  };
}

/**
 * What the fields say; an empty one is `null`, which stands for the usual value.
 * @param rule as it was; `null` for a new one. @param asksModel whether the scorer asks one.
 * @throws FormFault for a field that says nothing that can be sent.
 */
export function readRule(form: RuleFields, rule: ScoringRuleResource | null, asksModel: boolean): CreateScoringRule {
  const filters = readFilters(form);
  const sample = readPercent(form.sample);
  if (filters === null) throw new FormFault('filters', 'minimums are numbers of 0 or more');
  if (sample === null) throw new FormFault('sample_rate', 'must be from 0 to 100');
  return {
    ...{ name: form.name.trim(), target: form.target, trigger: form.trigger, sample_rate: sample },
    quiet_ms: form.target === 'span' ? null : scaled(form.quiet, 1_000, 'quiet_ms'),
    filters: {
      ...filters,
      exclude_tag: form.excluded
        .split(',')
        .map((tag) => tag.trim())
        .filter(Boolean),
    },
    ...{
      cohort: form.cohort.trim() || null,
      on_score: form.trigger === 'score' ? readOnScore(form, rule?.on_score ?? null) : null,
    },
    ...{ scoring: form.scoring, scoring_config: readSettings(form) },
    judge: asksModel
      ? { ...rule?.judge, rubric: null, connection_id: form.connection || null, model: form.judgeModel.trim() || null }
      : null,
    score_name: form.scoreName.trim() || null,
    max_cost_usd_per_day: scaled(form.budget, 1, 'max_cost_usd_per_day'),
  };
}

function scaled(text: string, by: number, path: string): number | null {
  if (text.trim() === '') return null;
  const number = numberIn(text);
  if (number === null) throw new FormFault(path, 'must be 0 or more');
  return number * by;
}

type OnScore = ScoringRuleResource['on_score'];

const answerOf = (on: OnScore): string => on?.label ?? String(on?.value ?? '');

function readOnScore({ onName, onSource, onAnswer }: RuleFields, before: OnScore): CreateScoringRule['on_score'] {
  const said = { name: onName.trim(), source: (onSource || null) as 'human' | null };
  if (onAnswer === answerOf(before)) return { value: before?.value ?? null, label: before?.label ?? null, ...said };
  const read = readAnswer(undefined, onAnswer);
  return { value: null, label: null, ...('answer' in read && read.answer), ...said };
}

function readSettings({ scoring, settings, rubric, ownRubric }: RuleFields): CreateScoringRule['scoring_config'] {
  if (scoring === JUDGE) return rubric === '' ? null : { rubric: rubric === OWN_RUBRIC ? ownRubric : rubric };
  if (settings.trim() === '') return null;
  try {
    return JSON.parse(settings) as CreateScoringRule['scoring_config'];
  } catch (error) {
    throw new FormFault('scoring_config', `is not JSON: ${(error as Error).message}`);
  }
}
