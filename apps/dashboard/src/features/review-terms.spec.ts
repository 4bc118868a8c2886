import { describe, expect, it } from '@jest/globals';
import { readTerms } from './review-terms.js';

function formOf(fields: Record<string, string | string[]>): FormData {
  const form = new FormData();
  for (const [name, values] of Object.entries(fields)) for (const value of [values].flat()) form.append(name, value);
  return form;
}

describe('the terms of a review', () => {
  it('are none where nothing was chosen', () => {
    expect(readTerms(formOf({ reviews_required: '1', instructions: ' ', priority: '0', blind: 'on' }))).toEqual({});
  });

  it('name people and reasons', () => {
    const usual = { reviews_required: '1', priority: '0', blind: 'on' };
    const fields = { ...usual, assignees: ' ada, ,bob ', order: 'random', selected_by: ' thumbs down ' };
    const terms = { assignees: ['ada', 'bob'], order: 'random', selected_by: 'thumbs down' };
    expect(readTerms(formOf({ ...fields, adjudicators: 'judy' }))).toEqual(terms);
    expect(readTerms(formOf({ ...fields, adjudicate: 'on', adjudicators: 'judy' }))).toEqual({
      ...{ ...terms, adjudicate: 'disagree', adjudicators: ['judy'] },
    });
    expect(readTerms(formOf({ ...usual, order: 'oldest', adjudicate: 'on' }))).toEqual({ adjudicate: 'disagree' });
  });

  it('say when there are enough', () => {
    const fields = { reviews_required: '1', priority: '0', blind: 'on', form: 'tone', until: ' 0.1 ' };
    expect(readTerms(formOf(fields))).toEqual({ form: ['tone'], until: { ci_width: 0.1 } });
  });

  it('are what was chosen', () => {
    const fields = { reviews_required: '3', form: ['tone', 'facts'], instructions: ' Be strict. ', priority: '-2' };
    expect(readTerms(formOf(fields))).toEqual({
      ...{ reviews_required: 3, form: ['tone', 'facts'], instructions: 'Be strict.', priority: -2, blind: false },
    });
  });
});
