import type { QueueItemResource, Submit } from '@spandrel/contract';
import { Invalid } from '@spandrel/kernel';
import { assertFit, withCategoryValue, type ScoreDefinitionRow } from '@spandrel/scores';
import { fromJsonText } from '@spandrel/storage';
import type { QueueItemRow } from './queue-item.entity.js';

export type ReviewScore = NonNullable<QueueItemResource['scores']>[number];

type Answered = Pick<QueueItemRow, 'scores' | 'answers' | 'comment' | 'skipped'>;

export const NO_ANSWERS: Answered = { scores: '[]', answers: '[]', comment: null, skipped: 0 };

/**
 * What a review says, checked against the form of its item (docs/spec/queue.md#forms).
 * @param place what stands before the path of a fault.
 * @throws Invalid for an answer that is missing, not asked for, given twice, or does not fit its definition.
 */
export function checkReview(
  { form: asked }: Pick<QueueItemRow, 'form'>,
  { scores, comment, skip }: Omit<Submit, 'edited_data'>,
  definitions: ReadonlyMap<string, ScoreDefinitionRow>,
  place = '',
): Answered {
  const given = scores ?? [];
  if (skip) {
    if (!comment) throw fault('comment', 'is needed: say why it is skipped');
    if (given.length > 0) throw fault('scores', 'must be left out of a review that is skipped');
    return { ...NO_ANSWERS, comment, skipped: 1 };
  }
  const form = fromJsonText(asked) as string[];
  const kept = new Map<string, ReviewScore>();
  for (const [at, { name, value = null, label = null, comment: said = null }] of given.entries()) {
    const path = `${place}scores[${at}]`;
    if (form.length > 0 && !form.includes(name)) throw fault(`${path}.name`, `must be one of ${form.join(', ')}`);
    if (kept.has(name)) throw fault(`${path}.name`, 'must not be given twice');
    if (value === null && label === null && said === null)
      throw fault(`${path}.value`, 'is needed, or a label or a comment');
    assertFit({ value, label, comment: said }, definitions.get(name), `${path}.`);
    kept.set(name, { name, ...withCategoryValue({ value, label, comment: said }, definitions.get(name)) });
  }
  const missing = form.filter((name) => !kept.has(name));
  if (missing.length > 0) throw fault(`${place}scores`, `must answer ${missing.join(', ')}, or skip the item`);
  return {
    scores: JSON.stringify([...kept.values()]),
    answers: answersOf([...kept.values()]),
    comment: comment ?? null,
    skipped: 0,
  };
}

/** The answers without their comments, in the order of their names: equal where reviewers agree. */
export const answersOf = (scores: readonly ReviewScore[]): string =>
  JSON.stringify(
    scores.toSorted((a, b) => (a.name < b.name ? -1 : 1)).map(({ name, value, label }) => [name, value, label]),
  );

const fault = (path: string, message: string): Invalid =>
  new Invalid('validation_failed', `${path} ${message}`, [{ path, message }]);
