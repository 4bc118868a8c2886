import { describe, expect, it } from '@jest/globals';
import { verdictOf, type Goal } from './verdict.ts';

const goal = (changes: Partial<Goal>): Goal => ({ name: 'a ratio', figure: 2, bound: '<=', limit: 2, ...changes });

describe('the verdict on a goal', () => {
  it('says whether the figure keeps the bound', () => {
    expect(verdictOf(goal({}), undefined)).toBe('met');
    expect(verdictOf(goal({ figure: 2.01 }), undefined)).toBe('not met');
    expect(verdictOf(goal({ bound: '>=' }), undefined)).toBe('met');
    expect(verdictOf(goal({ bound: '>=', figure: 1.99 }), undefined)).toBe('not met');
    expect(verdictOf(goal({ bound: '<' }), undefined)).toBe('not met');
    expect(verdictOf(goal({ bound: '<', figure: 1.99 }), undefined)).toBe('met');
  });

  it('is refused while others used the machine, whatever the figure', () => {
    const busy = 'others 34% of the cores, bound 10%';
    expect(verdictOf(goal({}), busy)).toBe(`no verdict (busy: ${busy})`);
    expect(verdictOf(goal({ figure: 99 }), busy)).toBe(`no verdict (busy: ${busy})`);
  });

  it('is given on counts and sizes on any machine', () => {
    expect(verdictOf(goal({ holdsAnywhere: true }), 'steal 50%')).toBe('met');
    expect(verdictOf(goal({ holdsAnywhere: true, figure: 3 }), 'steal 50%')).toBe('not met');
  });

  it('is not given on what could not be measured', () => {
    expect(verdictOf(goal({ figure: undefined }), undefined)).toBe('not measured');
    expect(verdictOf(goal({ figure: Number.NaN }), 'steal 50%')).toBe('not measured');
  });
});
