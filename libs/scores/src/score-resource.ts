import {
  fromColumns,
  scoreSchema,
  scoreDefinitionSchema,
  formatTimestamp,
  SCORE_REVISIONS_MAX,
  type ScoreDefinition,
  type ScoreKind,
  type ScoreResource,
  type ScoreRevision,
  type ScoreSource,
} from '@spandrel/contract';
import { fromJsonText, objectFromJsonText } from '@spandrel/storage';
import type { ScoreDefinitionRow, ScoreRow } from './score.entity.js';

/** A stored score as the wire shows it (docs/spec/scores.md#scores). */
export const scoreResource = (score: ScoreRow): ScoreResource =>
  fromColumns(scoreSchema, score, {
    source: score.source as ScoreSource,
    metadata: objectFromJsonText(score.metadata),
    revisions: fromJsonText(score.revisions) as ScoreRevision[],
  });

export type Verdict = Pick<ScoreRow, 'value' | 'label' | 'comment'>;

export const isSameVerdict = (a: Verdict, b: Verdict): boolean =>
  a.value === b.value && a.label === b.label && a.comment === b.comment;

/** The earlier values of a score once it says something else. @param now ms since the epoch. */
export function addRevision({ value, label, comment, author, revisions }: ScoreRow, now: number): string {
  const earlier = fromJsonText(revisions) as ScoreRevision[];
  const replaced = { value, label, comment, author, at: formatTimestamp(now) };
  return JSON.stringify([...earlier, replaced].slice(-SCORE_REVISIONS_MAX));
}

export const scoreDefinition = (definition: ScoreDefinitionRow): ScoreDefinition =>
  fromColumns(scoreDefinitionSchema, definition, {
    kind: definition.kind as ScoreKind,
    categories: fromJsonText(definition.categories) as ScoreDefinition['categories'],
    level: definition.level as ScoreDefinition['level'],
  });

/** A verdict that is a label alone, with what its category counts as. */
export function withCategoryValue(verdict: Verdict, row: ScoreDefinitionRow | undefined): Verdict {
  if (row?.kind !== 'category' || verdict.value !== null) return verdict;
  const category = scoreDefinition(row).categories.find(({ label }) => label === verdict.label);
  return { ...verdict, value: category?.value ?? null };
}

/**
 * Why a score does not fit the definition of its name; `undefined` where it does. A comment alone fits every definition
 * (docs/spec/scores.md#definitions).
 */
export function misfitOf(
  { value, label }: Verdict,
  row: ScoreDefinitionRow,
): { path: string; message: string } | undefined {
  const { kind, min, max, categories } = scoreDefinition(row);
  const as = `as the definition "${row.name}" says`;
  if (kind === 'text') {
    return value === null && label === null
      ? undefined
      : { path: 'value', message: `must be left out: comments alone, ${as}` };
  }
  if (value === null && label === null) return undefined;
  if (kind === 'category') {
    const category = categories.find((one) => one.label === label);
    if (!category)
      return { path: 'label', message: `must be one of ${categories.map((one) => one.label).join(', ')}, ${as}` };
    return value === null || value === category.value
      ? undefined
      : { path: 'value', message: `must be ${category.value} with this label, ${as}` };
  }
  if (value === null) return { path: 'value', message: `is needed, ${as}` };
  if (kind === 'boolean')
    return value === 0 || value === 1 ? undefined : { path: 'value', message: `must be 0 or 1, ${as}` };
  if (min !== null && value < min) return { path: 'value', message: `must not be below ${min}, ${as}` };
  if (max !== null && value > max) return { path: 'value', message: `must not be above ${max}, ${as}` };
  return undefined;
}
