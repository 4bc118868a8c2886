import { describe, expect, it } from '@jest/globals';
import { readOnly, readTraceSearch, toggleOnly } from './trace-search.js';

describe('readTraceSearch', () => {
  it('reads what it wrote', () => {
    const search = { span: 'a:1', view: 'flame', tab: 'raw', find: 'x', only: 'errors,llm' } as const;
    expect(readTraceSearch(search)).toEqual(search);
    expect(readTraceSearch({ view: 'graph' })).toEqual({ view: 'graph' });
  });

  it('leaves out defaults and what it does not understand', () => {
    expect(readTraceSearch({ view: 'waterfall', tab: 'nope', only: 'x', find: '', span: null, other: 1 })).toEqual({});
  });

  it('has each pressed button once', () => {
    expect(readTraceSearch({ only: 'llm,errors,llm' })).toEqual({ only: 'errors,llm' });
  });
});

describe('toggleOnly', () => {
  it('presses a button and lets it go', () => {
    expect(toggleOnly(undefined, 'llm')).toBe('llm');
    expect(toggleOnly('llm', 'errors')).toBe('errors,llm');
    expect(toggleOnly('errors', 'errors')).toBeUndefined();
    expect(readOnly('errors,llm')).toEqual(['errors', 'llm']);
  });
});
