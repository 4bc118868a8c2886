import type { ScoreDefinition } from '@spandrel/contract';
import type { ScoreWords } from '@spandrel/contract/browser';

/** What scores are about: a trace, a span of it, or a session. */
export type ScoreTarget = { trace_id: string; span_id?: string } | { session_id: string };

/** What a score has to look like: the part of a definition that a field needs. */
export type ScoreForm = Pick<ScoreDefinition, 'kind' | 'min' | 'max' | 'categories'>;

/** The answers that there are to a category or a yes-or-no question; `null` where anything may be typed. */
export function choicesOf(form: ScoreForm | undefined): readonly { value: string; label: string }[] | null {
  if (form?.kind === 'category') return form.categories.map(({ label }) => ({ value: label, label }));
  if (form?.kind !== 'boolean') return null;
  return [
    { value: '1', label: 'Yes' },
    { value: '0', label: 'No' },
  ];
}

/**
 * What a field says as a score (docs/spec/scores.md#definitions): without a definition a number is a value, all else a label.
 * @returns its members, an empty field as `null`, or what is wrong with the text.
 */
export function readAnswer(
  form: ScoreForm | undefined,
  text: string,
): { answer: ScoreWords | null } | { fault: string } {
  const typed = text.trim();
  if (typed === '') return { answer: null };
  if (form?.kind === 'category') return { answer: { label: text } };
  if (form?.kind === 'text') return { answer: { comment: text } };
  const value = Number(typed);
  if (!Number.isFinite(value)) return form === undefined ? { answer: { label: typed } } : { fault: 'must be a number' };
  const { min = null, max = null } = form ?? {};
  if (min !== null && value < min) return { fault: `must be ${min} or more` };
  if (max !== null && value > max) return { fault: `must be ${max} or less` };
  return { answer: { value } };
}

/** The text of the field that says a score: the other way round than {@link readAnswer}. */
export function answerText(form: ScoreForm | undefined, { value, label, comment }: ScoreWords): string {
  if (form?.kind === 'text') return comment ?? '';
  return label ?? (value == null ? '' : String(value));
}
