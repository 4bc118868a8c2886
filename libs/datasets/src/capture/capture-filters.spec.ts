import { describe, expect, it } from '@jest/globals';
import type { CaptureFilters } from '@spandrel/contract';
import { STATUS } from '@spandrel/tracing';
import { givenFilters, spanMatcher, tagHolds, type JudgedSpan } from './capture-filters.js';

const SPAN: JudgedSpan = {
  name: 'Chat Ängström 100%',
  status: STATUS.completed,
  kindType: 'llm_call',
  model: 'gpt-4o',
  provider: 'openai',
  totalTokens: 30,
  cost: 0.5,
  durationMs: 1_000,
};
const UNKNOWN: JudgedSpan = { ...SPAN, model: null, provider: null, totalTokens: null, cost: null, durationMs: null };

const takes = (filters: CaptureFilters, span: Partial<JudgedSpan> = {}): boolean =>
  spanMatcher(filters)({ ...SPAN, ...span });

describe('spanMatcher', () => {
  it.each<[CaptureFilters, boolean]>([
    [{}, true],
    [{ model: 'gpt-4o' }, true],
    [{ model: 'gpt-4O' }, false],
    [{ model: 'gpt-4' }, false],
    [{ provider: 'openai' }, true],
    [{ provider: '' }, false],
    [{ kind: 'llm_call' }, true],
    [{ kind: 'tool_call' }, false],
    [{ status: 'completed' }, true],
    [{ status: 'failed' }, false],
    [{ min_cost: 0.5 }, true],
    [{ min_cost: 0.5000001 }, false],
    [{ min_tokens: 30 }, true],
    [{ min_tokens: 30.5 }, false],
    [{ min_duration_ms: 1_000 }, true],
    [{ min_duration_ms: 1_001 }, false],
    [{ name_contains: 'cHAT ' }, true],
    [{ name_contains: '0%' }, true],
    [{ name_contains: '%t' }, false],
    [{ name_contains: 'ängström' }, false],
    [{ name_contains: '' }, true],
    [{ model: 'gpt-4o', provider: 'openai', kind: 'llm_call', status: 'completed', min_tokens: 1 }, true],
    [{ model: 'gpt-4o', provider: 'openai', kind: 'llm_call', status: 'completed', min_tokens: 31 }, false],
    [{ model: null, name_contains: null, min_cost: null, status: null }, true],
    [{ tag: 'decided later' }, true],
  ])('%j: %s', (filters, expected) => {
    expect(takes(filters)).toBe(expected);
  });

  it('distinguishes failed spans from completed ones', () => {
    expect(takes({ status: 'failed' }, { status: STATUS.failed })).toBe(true);
    expect(takes({ status: 'completed' }, { status: STATUS.failed })).toBe(false);
  });

  it.each<CaptureFilters>([
    { model: '' },
    { provider: '' },
    { min_cost: 0 },
    { min_tokens: 0 },
    { min_duration_ms: 0 },
  ])('%j takes no span without a value, as the list of spans', (filters) => {
    expect(takes(filters, UNKNOWN)).toBe(false);
    expect(takes({}, UNKNOWN)).toBe(true);
  });

  it('finds no half of a character', () => {
    expect(takes({ name_contains: '😀' }, { name: 'a😀b' })).toBe(true);
    expect(takes({ name_contains: '\ud83d' }, { name: 'a😀b' })).toBe(false);
  });
});

describe('tagHolds', () => {
  it('leaves calls of eval runs to rules that ask for their tag', () => {
    expect(tagHolds({}, ['eval'])).toBe(false);
    expect(tagHolds({ tag: null }, ['eval', 'prod'])).toBe(false);
    expect(tagHolds({ tag: 'prod' }, ['eval', 'prod'])).toBe(false);
    expect(tagHolds({ tag: 'eval' }, ['eval', 'prod'])).toBe(true);
    expect(tagHolds({ tag: 'eval' }, ['prod'])).toBe(false);
    expect(tagHolds({}, ['evaluation', 'Eval'])).toBe(true);
  });

  it('leaves traces of the demo to rules that ask for their tag', () => {
    expect(tagHolds({}, ['spandrel-demo'])).toBe(false);
    expect(tagHolds({ tag: 'spandrel-demo' }, ['spandrel-demo'])).toBe(true);
    expect(tagHolds({ tag: 'eval' }, ['spandrel-demo', 'eval'])).toBe(false);
  });

  it('compares exactly', () => {
    expect(tagHolds({ tag: 'prod' }, ['eu', 'prod'])).toBe(true);
    expect(tagHolds({ tag: 'prod' }, ['production', 'Prod'])).toBe(false);
    expect(tagHolds({}, [])).toBe(true);
    expect(tagHolds({}, ['prod'])).toBe(true);
  });
});

describe('givenFilters', () => {
  it('keeps what has a value, zero included', () => {
    expect(givenFilters({ model: null, min_cost: 0, tag: undefined, name_contains: '' })).toEqual({
      min_cost: 0,
      name_contains: '',
    });
  });
});
