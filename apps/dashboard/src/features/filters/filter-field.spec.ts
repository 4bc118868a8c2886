import { describe, expect, it } from '@jest/globals';
import {
  fieldChips,
  readFields,
  withField,
  withoutFields,
  readAmount,
  writeAmount,
  type FilterField,
} from './filter-field.js';

const TAG: FilterField = { id: 'tag', label: 'Tag', isRepeated: true };
const USER: FilterField = { id: 'user_id', label: 'User' };
const COST: FilterField = { id: 'cost_min', label: 'Minimum cost', unit: 'cost' };
const METADATA: FilterField = { id: 'metadata', label: 'Metadata', isKeyed: true };
const KIND: FilterField = { id: 'kind', label: 'Kind', words: new Map([['llm_call', 'LLM call']]) };
const FIELDS = [TAG, USER, COST];

describe('offered filters', () => {
  it('are asked for with a key, once for each', () => {
    const fields = [METADATA, USER];
    const search = { 'metadata.environment': 'production', 'metadata.a.b': '1', metadata: 'x', user_id: 'ann' };
    const { metadata: _none, ...read } = search;
    expect(readFields(fields, search)).toEqual(read);
    const chips = fieldChips(fields, read);
    expect(chips.map(({ name, value }) => `${name} ${value}`)).toEqual([
      ...['Metadata environment=production', 'Metadata a.b=1', 'User ann'],
    ]);
    expect(chips[0]!.without(read)).toEqual({ 'metadata.a.b': '1', user_id: 'ann' });
  });

  it('say their values in the words of people', () => {
    expect(fieldChips([KIND], { kind: 'llm_call' })[0]!.value).toBe('LLM call');
    expect(fieldChips([KIND], { kind: 'mine' })[0]!.value).toBe('mine');
  });

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

describe('a number of a filter', () => {
  it.each([
    ['1500', 'duration', '1500'],
    [' 1.5 s ', 'duration', '1500'],
    ['1.1s', 'duration', '1100'],
    ['2 MIN', 'duration', '120000'],
    ['1,500 ms', 'duration', '1500'],
    ['$0.05', 'cost', '0.05'],
    ['.5', 'cost', '0.5'],
    ['0', 'cost', '0'],
    ['2,000', 'count', '2000'],
  ] as const)('%p of %s is %s', (text, unit, read) => {
    expect(readAmount(text, unit)).toBe(read);
  });

  it.each([
    ['', 'duration'],
    ['-1', 'duration'],
    ['5 days', 'duration'],
    ['$5', 'duration'],
    ['1e3', 'cost'],
    ['5 s', 'cost'],
    ['1.5', 'count'],
    ['Infinity', 'count'],
  ] as const)('%p is no number of %s', (text, unit) => {
    expect(readAmount(text, unit)).toBeNull();
  });

  it('is written for people', () => {
    expect([writeAmount('1500', 'duration'), writeAmount('0.05', 'cost'), writeAmount('2000', 'count')]).toEqual([
      ...['1.50 s', '$0.05', '2,000'],
    ]);
  });
});
