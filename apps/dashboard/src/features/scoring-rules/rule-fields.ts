import type { CaptureFilters, CreateScoringRule, ScoringRuleResource } from '@spandrel/contract';
import { FormFault } from '../../api/form-faults.js';
import { JUDGE } from '../scorer-words.js';
import { percentOf, readPercent } from '../span-filters/filter-form.js';

/** The choice of a rubric in words of one's own. */
export const OWN_RUBRIC = '*';

/** The names of rubrics that a scorer comes with. @param schema of its settings. */
export function rubricsOf(schema: Readonly<Record<string, unknown>> | null | undefined): readonly string[] {
  const { properties } = (schema ?? {}) as { properties?: { rubric?: { examples?: readonly string[] } } };
  return properties?.rubric?.examples ?? [];
}

/** The rubric of a rule; `''` for the built-in one. */
export const rubricOf = (rule: ScoringRuleResource | null): string =>
  rule?.scoring === JUDGE ? String(rule.scoring_config?.['rubric'] ?? rule.judge?.rubric ?? '') : '';

/** What the field of a member begins with. @param path of the member, `judge.model`. @param rule `null` for a new one. */
export function textOf(rule: ScoringRuleResource | null, path: string): string {
  if (path === 'sample_rate') return String(percentOf(rule?.sample_rate ?? 1));
  if (path === 'filters.exclude_tag') return (rule?.filters.exclude_tag ?? ['eval', 'try']).join(', ');
  if (path === 'scoring_config') return rule?.scoring_config ? JSON.stringify(rule.scoring_config, null, 2) : '';
  let value: unknown = rule;
  for (const member of path.split('.')) value = (value as Record<string, unknown> | null | undefined)?.[member];
  return String(value ?? '');
}

/**
 * What a form says, whose fields are named by the paths of their members; an empty one is `null`, which stands for the usual value.
 * @param filters those of its fields; `null` while a number is none. @param rule as it was; `null` for a new one.
 * @throws FormFault for a field that says nothing that can be sent.
 */
export function readRule(
  form: FormData,
  filters: CaptureFilters | null,
  rule: ScoringRuleResource | null,
): CreateScoringRule {
  const text = (path: string): string | null => String(form.get(path) ?? '').trim() || null;
  const number = (path: string): number | null => (text(path) === null ? null : Number(text(path)));
  const sample = readPercent(text('sample_rate') ?? '');
  if (filters === null) throw new FormFault('filters', 'minimums are numbers of 0 or more');
  if (sample === null) throw new FormFault('sample_rate', 'must be from 0 to 100');
  const tags = (text('filters.exclude_tag') ?? '').split(',').map((tag) => tag.trim());
  return {
    ...{ name: text('name') ?? '', target: text('target') as 'span', trigger: text('trigger') as 'ended' },
    ...{ quiet_ms: number('quiet_ms'), sample_rate: sample, cohort: text('cohort') },
    filters: { ...filters, exclude_tag: tags.filter(Boolean) },
    on_score: form.has('on_score.name')
      ? {
          ...{ name: text('on_score.name') ?? '', source: text('on_score.source') as 'human' | null },
          ...{ value: number('on_score.value'), label: text('on_score.label') },
        }
      : null,
    ...{ scoring: text('scoring') ?? '', scoring_config: readSettings(text) },
    judge: form.has('judge.connection_id')
      ? { ...rule?.judge, rubric: null, connection_id: text('judge.connection_id'), model: text('judge.model') }
      : null,
    ...{ score_name: text('score_name'), max_cost_usd_per_day: number('max_cost_usd_per_day') },
  };
}

function readSettings(text: (path: string) => string | null): CreateScoringRule['scoring_config'] {
  const rubric = text('rubric') === OWN_RUBRIC ? text('scoring_config.rubric') : text('rubric');
  if (text('scoring') === JUDGE) return rubric === null ? null : { rubric };
  try {
    return JSON.parse(text('scoring_config') ?? 'null') as CreateScoringRule['scoring_config'];
  } catch (error) {
    throw new FormFault('scoring_config', `is not JSON: ${(error as Error).message}`);
  }
}
