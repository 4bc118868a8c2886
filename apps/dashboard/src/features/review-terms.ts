import type { Enqueue } from '@spandrel/contract';

/** What a review is asked for beside what it is about. */
type ReviewTerms = Omit<Enqueue, 'datapoint_ids'>;

/**
 * The fields of the dialog as members of the request. What is as usual is left out, so that a plain review stays a plain item
 * (docs/spec/queue.md#reviews-by-several).
 */
export function readTerms(form: FormData): ReviewTerms {
  const reviews = Number(form.get('reviews_required'));
  const names = form.getAll('form').map(String);
  const instructions = String(form.get('instructions') ?? '').trim();
  const priority = Number(form.get('priority'));
  return {
    ...(reviews !== 1 && { reviews_required: reviews }),
    ...(names.length > 0 && { form: names }),
    ...(instructions !== '' && { instructions }),
    ...(priority !== 0 && { priority }),
    ...(form.get('blind') === null && { blind: false }),
  };
}
