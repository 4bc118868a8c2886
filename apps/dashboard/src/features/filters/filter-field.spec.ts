import { describe, expect, it } from '@jest/globals';
import { fieldChips, readFields, withField, withoutFields, type FilterField } from './filter-field.js';

const TAG: FilterField = { id: 'tag', label: 'Tag', isRepeated: true };
const USER: FilterField = { id: 'user_id', label: 'User' };
const COST: FilterField = { id: 'cost_min', label: 'Minimum cost', unit: 'cost' };
const FIELDS = [TAG, USER, COST];

describe('offered filters', () => {
  it('are read from an address, leniently', () => {
    expect(readFields(FIELDS, { tag: ['a', 'b', 'a'], user_id: '', cost_min: '0.05', other: 'x' })).toEqual({
      ...{ tag: ['a', 'b'], user_id: '', cost_min: '0.05' },
    });
    expect(readFields(FIELDS, { tag: 'one', user_id: ['a', 'b'], cost_min: '$5' })).toEqual({ tag: ['one'] });
  });

  it('are added, in the place of the one before unless they may be repeated', () => {
    const once = withField(withField({ cols: 'name' }, USER, 'ann'), USER, 'bob');
    expect(once).toEqual({ cols: 'name', user_id: 'bob' });
    expect(withField(withField(withField({}, TAG, 'a'), TAG, 'b'), TAG, 'a')).toEqual({ tag: ['a', 'b'] });
  });

  it('have a chip each, which takes that one away', () => {
    const search = { cols: 'name', tag: ['a', 'b'], user_id: 'ann', cost_min: '0.05' };
    const chips = fieldChips(FIELDS, search);
    expect(chips.map(({ name, value }) => `${name} ${value}`)).toEqual([
      ...['Tag a', 'Tag b', 'User ann', 'Minimum cost $0.05'],
    ]);
    expect(chips[0]!.without(search)).toEqual({ ...search, tag: ['b'] });
    expect(chips.reduce((before, chip) => chip.without(before), search)).toEqual({ cols: 'name' });
    expect(withoutFields(search, FIELDS)).toEqual({ cols: 'name' });
  });
});
