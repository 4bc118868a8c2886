import type { Enqueue, QueueOrder } from '@spandrel/contract';

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
  const order = String(form.get('order') ?? 'oldest') as QueueOrder;
  const width = String(form.get('until') ?? '').trim();
  const selectedBy = String(form.get('selected_by') ?? '').trim();
  return {
    ...(reviews !== 1 && { reviews_required: reviews }),
    ...(names.length > 0 && { form: names }),
    ...(instructions !== '' && { instructions }),
    ...(priority !== 0 && { priority }),
    ...(form.get('blind') === null && { blind: false }),
    ...namesIn(form, 'assignees'),
    ...(order !== 'oldest' && { order }),
    ...(width !== '' && { until: { ci_width: Number(width) } }),
    ...(selectedBy !== '' && { selected_by: selectedBy }),
    ...(form.get('adjudicate') !== null && { adjudicate: 'disagree' as const, ...namesIn(form, 'adjudicators') }),
  };
}

/** The names in a field, which stand between commas. */
function namesIn(form: FormData, member: 'assignees' | 'adjudicators') {
  const names = String(form.get(member) ?? '').split(',');
  const given = names.map((name) => name.trim()).filter((name) => name !== '');
  return given.length > 0 && { [member]: given };
}
