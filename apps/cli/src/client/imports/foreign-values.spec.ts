import { describe, expect, it } from '@jest/globals';
import { keepId, keysOf, kindFor, leftOf, metadataWith, nameOf, payloadOf, setAt, timeOf } from './foreign-values.js';

describe('values of other products', () => {
  it('ids stay as they are where they may be ours, else another is made of them, always the same', () => {
    expect(keepId('0193a1b2-0000-7000-8000-000000000001')).toBe('0193a1b2-0000-7000-8000-000000000001');
    expect(keepId('U3BhbjoxMg==')).toMatch(/^[0-9a-f]{32}$/);
    expect(keepId('U3BhbjoxMg==')).toBe(keepId('U3BhbjoxMg=='));
    expect(keepId('x'.repeat(129))).not.toBe(keepId('x'.repeat(130)));
  });

  it('names, tags and times are those that may be stored', () => {
    expect(nameOf('a\0b\uD800', '')).toBe('ab\uFFFD');
    expect(nameOf('', 'otherwise')).toBe('otherwise');
    expect(nameOf('x'.repeat(3_000), '')).toHaveLength(2_000);
    expect(keysOf(['a', 7, '', 'a', 'x'.repeat(513), 'b'])).toEqual(['a', 'b']);
    expect(timeOf('2026-11-20 09:00:00.123456')).toBe('2026-11-20T09:00:00.123Z');
    expect(timeOf('2026-11-20 09:00:00.5+02:00')).toBe('2026-11-20T07:00:00.500Z');
    expect([timeOf(null), timeOf('soon'), timeOf(7)]).toEqual([undefined, undefined, undefined]);
  });

  it('text that is JSON is that, what has no place is kept, what says nothing is not', () => {
    expect(payloadOf('{"a":[1]}')).toEqual({ a: [1] });
    expect([payloadOf('{a'), payloadOf(''), payloadOf(undefined), payloadOf(0)]).toEqual(['{a', null, null, 0]);
    expect(leftOf({ a: 0, b: false, c: null, d: '', e: [], f: {}, g: undefined })).toEqual({ a: 0, b: false });
    expect(leftOf({ c: null })).toBeUndefined();
    const raw = JSON.rawJSON('1.10');
    expect(metadataWith({ team: 'docs' }, 'opik', { raw })).toEqual({ team: 'docs', imported: { from: 'opik', raw } });
    expect(metadataWith({ a: 1, imported: { from: 'csv' } }, 'opik', { raw })).toEqual({
      ...{ a: 1, imported: { from: 'opik', raw, imported: { from: 'csv' } } },
    });
    expect(metadataWith('a note', 'opik', {})).toEqual({ imported: { from: 'opik', metadata: 'a note' } });
  });

  it('members are set at their places, and never in what all objects have', () => {
    const object = {};
    setAt(object, ['a', 'b'], 1);
    setAt(object, ['a', 'c'], 2);
    setAt(object, ['a', '__proto__', 'd'], 3);
    setAt(object, ['constructor', 'prototype', 'e'], 4);
    expect(object).toEqual({ a: { b: 1, c: 2, '__proto__.d': 3 }, constructor: { prototype: { e: 4 } } });
    expect([({} as Record<string, unknown>)['d'], ({} as Record<string, unknown>)['e']]).toEqual([
      undefined,
      undefined,
    ]);
  });

  it('kinds have their model and usage', () => {
    expect(kindFor('GENERATION', 'n', { model: 'm', provider: 'OpenAI', usage: { inputTokens: 3, cost: 0 } })).toEqual({
      ...{ type: 'llm_call', model: 'm', provider: 'openai', input_tokens: 3, cost: 0 },
    });
    expect(kindFor('llm', 'n', {})).toEqual({ type: 'llm_call', model: 'unknown', provider: null });
    expect(kindFor('TOOL', 'search', {})).toEqual({ type: 'tool_call', name: 'search', call_id: null });
    expect(kindFor('RETRIEVER', 'n', { model: 'm' })).toEqual({ type: 'retrieval', model: 'm' });
    expect(kindFor('GUARDRAIL', 'n', {})).toEqual({ type: 'custom', kind: 'guardrail', attributes: {} });
  });
});
