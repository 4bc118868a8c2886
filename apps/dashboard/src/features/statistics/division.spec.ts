import { describe, expect, it } from '@jest/globals';
import { groupKeys } from './division.js';

describe('the keys of groups', () => {
  it('are those that are chosen, each once, and none without a first', () => {
    expect(groupKeys({ group_by: 'a', then_by: 'b' })).toEqual(['a', 'b']);
    expect(groupKeys({ group_by: 'a', then_by: 'a' })).toEqual(['a']);
    expect(groupKeys({ group_by: 'a', cluster_by: 'c' })).toEqual(['a']);
    expect(groupKeys({ then_by: 'b' })).toEqual([]);
  });
});
