import { describe, expect, it } from '@jest/globals';
import type { CaptureFilters } from '@spandrel/contract';
import { STATUS } from '@spandrel/tracing';
import fc from 'fast-check';
import { newId } from '@spandrel/kernel';
import { givenFilters, spanMatcher, tagHolds, type JudgedSpan, isSampled } from './capture-filters.js';

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

const rate = fc.double({ min: 0, max: 1, noNaN: true });
const id = fc.string({ minLength: 1, maxLength: 40 });

const takenOf = (ruleId: string, spanIds: readonly string[], sampleRate: number): string[] =>
  spanIds.filter((spanId) => isSampled(ruleId, spanId, sampleRate));

describe('isSampled', () => {
  it('takes all at 1 and none at 0', () => {
    fc.assert(
      fc.property(id, id, (rule, span) => {
        expect([isSampled(rule, span, 1), isSampled(rule, span, 0)]).toEqual([true, false]);
      }),
    );
  });

  it('takes about the part of the spans that the rate says', () => {
    const rule = newId();
    const ids = Array.from({ length: 5_000 }, () => newId());
    fc.assert(
      fc.property(rate, (sampleRate) => {
        // Five standard deviations.
        const tolerance = 5 * Math.sqrt((sampleRate * (1 - sampleRate)) / ids.length) + 1e-9;
        expect(Math.abs(takenOf(rule, ids, sampleRate).length / ids.length - sampleRate)).toBeLessThanOrEqual(
          tolerance,
        );
      }),
      { numRuns: 25 },
    );
  });

  it('takes at a higher rate what it takes at a lower one', () => {
    fc.assert(
      fc.property(id, id, rate, rate, (rule, span, a, b) => {
        const [lower, higher] = [Math.min(a, b), Math.max(a, b)];
        expect(isSampled(rule, span, lower) && !isSampled(rule, span, higher)).toBe(false);
      }),
      { numRuns: 2_000 },
    );
  });

  it('is the SHA-256 of rule and span, so that a retry, a restart and another instance decide the same', () => {
    const spans = Array.from({ length: 20 }, (_, n) => `span-${n}`);
    expect(takenOf('01ARZ3NDEKTSV4RRFFQ69G5FAV', spans, 0.3)).toEqual([
      'span-0',
      'span-1',
      'span-3',
      'span-6',
      'span-11',
      'span-12',
    ]);
  });

  it('samples for each rule on its own', () => {
    const spans = Array.from({ length: 1_000 }, () => newId());
    const [first, second] = [takenOf(newId(), spans, 0.5), new Set(takenOf(newId(), spans, 0.5))];
    const both = first.filter((spanId) => second.has(spanId)).length;
    expect(both).toBeGreaterThan(150);
    expect(both).toBeLessThan(350);
  });
});
