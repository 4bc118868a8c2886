import { describe, expect, it } from '@jest/globals';
import { readCategories, readDefinition, writeCategories } from './definition-form.js';

const formOf = (fields: Record<string, string>): FormData => {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  return form;
};

describe('the form of a score definition', () => {
  it('has categories one a line, with what they count', () => {
    const categories = [
      { label: 'good', value: 1 },
      { label: 'so so', value: null },
      { label: 'a=b', value: -0.5 },
    ];
    expect(writeCategories(categories)).toBe('good = 1\nso so\na=b = -0.5');
    expect(readCategories(`\n${writeCategories(categories)} \n\n`)).toEqual(categories);
    expect(readCategories('a = b\nc =')).toEqual([
      { label: 'a = b', value: null },
      { label: 'c =', value: null },
    ]);
  });

  it('leaves out what its kind does not have', () => {
    const fields = { min: '0', max: '', categories: 'a', level: '', description: ' How well. ' };
    expect(readDefinition(formOf({ ...fields, kind: 'number' }))).toEqual({
      ...{ kind: 'number', min: 0, max: null, description: 'How well.' },
    });
    expect(readDefinition(formOf({ ...fields, kind: 'category', level: 'ordinal' }))).toEqual({
      ...{ kind: 'category', categories: [{ label: 'a', value: null }], level: 'ordinal', description: 'How well.' },
    });
    expect(() => readDefinition(formOf({ ...fields, kind: 'number', min: 'low' }))).toThrow('must be a number');
  });
});
