import { describe, expect, it } from '@jest/globals';
import { parseExactJson } from '@spandrel/contract';
import fc from 'fast-check';
import { ingestedSpanSchema } from './ingested-span.js';
import { usualSpan } from './usual-span.js';

/** Members that are right, wrong, at their limits, or of another type. */
const text = fc.constantFrom(
  'a',
  '',
  'x'.repeat(512),
  'x'.repeat(513),
  'x'.repeat(2_001),
  '\ud800',
  '\0',
  'é',
  'a b',
  null,
  7,
  {},
);
const count = fc.constantFrom(0, 3, -1, 1.5, 1e300, null, '4', parseExactJson('12345678901234567890'));
const time = fc.constantFrom('2026-11-23T12:00:00Z', '2026-11-23', 'yesterday', '', null, 5);
const some = <T extends Record<string, fc.Arbitrary<unknown>>>(members: T): fc.Arbitrary<object> =>
  fc.record(members, { requiredKeys: [] });

const kind = fc.oneof(
  some({
    type: fc.constantFrom('llm_call', 'llm_call', 'tool_call', '', 'x'.repeat(513), 3, null),
    model: text,
    provider: text,
    input_tokens: count,
    output_tokens: count,
    cached_input_tokens: count,
    reasoning_tokens: count,
    cost: count,
    own: text,
  }),
  fc.constantFrom(null, [], 'llm_call', parseExactJson('1e5000'.slice(0, 3))),
);
const id = fc.constantFrom('s1', 'a:b.c-d_e', '', 'x'.repeat(129), 'é', null, 1);
const item = fc.oneof(
  {
    weight: 20,
    arbitrary: some({
      id,
      trace_id: text,
      parent_id: id,
      name: text,
      kind,
      input: fc.jsonValue(),
      output: fc.jsonValue(),
      status: fc.constantFrom('running', 'completed', 'failed', 'other', null, { failed: { error: 'e' } }),
      error: text,
      started_at: time,
      ended_at: time,
      metadata: fc.constantFrom({}, { a: 1 }, [], null, 'm'),
      unknown: text,
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom(null, 1, 'x', []) },
);

/** Without members that are `undefined`, which are as good as absent. */
const given = (value: object): object =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined));

describe('usualSpan', () => {
  it('reads nothing but what the schema takes, and reads it alike', () => {
    fc.assert(
      fc.property(item, (value) => {
        const usual = usualSpan(value);
        if (usual === undefined) return;
        const { data, error } = ingestedSpanSchema.safeParse(value);
        expect(error).toBeUndefined();
        expect(given(usual)).toEqual(given(data!));
      }),
      { numRuns: 3_000 },
    );
  });

  it('reads a span as most are sent, by reference', () => {
    const span = {
      id: 's1',
      trace_id: 't1',
      parent_id: null,
      name: 'chat',
      kind: { type: 'llm_call', model: 'gpt-4o', provider: 'openai', input_tokens: 12, cost: 0.5, own: 1 },
      input: [{ role: 'user' }],
      output: { text: 'hi' },
      status: 'completed',
      started_at: '2026-11-23T12:00:00Z',
      metadata: { a: 1 },
      beside: true,
    };
    const usual = usualSpan(span)!;
    expect(given(usual)).toEqual(ingestedSpanSchema.parse(span));
    expect([usual.kind, usual.input, usual.metadata]).toEqual([span.kind, span.input, span.metadata]);
    expect(usual.kind).toBe(span.kind);
  });
});
