import fc from 'fast-check';
import type { AnalyticsApp } from './analytics-app.js';

export const MODELS = ['gpt-4o', 'm', '', '=', '__proto__', 'constructor', 'M'];
export const PROVIDERS = ['openai', '', 'Ä'];

const HOUR = 3_600_000;
const NOON = Date.UTC(2026, 0, 4, 12);

/** Around the edges of hours, days and weeks, before the epoch, and at the ends of what can be written. */
export const moment: fc.Arbitrary<string> = fc
  .oneof(
    { weight: 4, arbitrary: fc.integer({ min: -3 * 24 * HOUR, max: 9 * 24 * HOUR }).map((ms) => NOON + ms) },
    {
      weight: 4,
      arbitrary: fc
        .tuple(fc.integer({ min: -60, max: 60 }), fc.constantFrom(-1, 0, 1))
        .map(([hour, offset]) => NOON + hour * HOUR + offset),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom(0, -1, -HOUR, -24 * HOUR - 1, -62_135_596_800_000, 253_402_300_799_999),
    },
  )
  .map((epochMs) => new Date(epochMs).toISOString());

const tokens = fc.option(fc.nat(100_000), { nil: undefined });
const cost = fc.option(
  fc.oneof(
    fc.constantFrom(0, 0.1, 0.2, 0.000123, 1e-13, 5e-13, 4.9999999999999e-13, 1.5e-12, 0.9999999999995, 2e9, 1e300),
    fc.double({ min: 0, max: 10, noNaN: true }).map(Math.abs),
  ),
  { nil: undefined },
);
const provider = fc.option(fc.constantFrom<unknown>(...PROVIDERS), { nil: undefined });

const kind = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      type: fc.constant('llm_call'),
      model: fc.constantFrom(...MODELS),
      provider,
      input_tokens: tokens,
      output_tokens: tokens,
      cached_input_tokens: tokens,
      cost,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constantFrom('custom', 'tool_call'),
      model: fc.option(fc.constantFrom<unknown>(...MODELS, 7), { nil: undefined }),
      provider,
      input_tokens: tokens,
      cost,
    }),
  },
  { weight: 1, arbitrary: fc.constant(undefined) },
);

const trace = fc.constantFrom('t0', 't1', 't2', 't3');
const span = fc.nat(11).map((n) => `s${n}`);
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });

export const USERS = ['ada', 'Ada', '', 'ü'];
/** What traces are split by. */
const ofTrace = fc.record(
  {
    user_id: fc.constantFrom(...USERS),
    session_id: fc.constantFrom('s', ' s'),
    name: fc.constantFrom('chat', 'Chat', 'x'),
    tags: fc.subarray(['a', 'b', 'c']),
    metadata: fc.record({ env: fc.constantFrom<unknown>('prod', 'dev', 1, 1.5, true, null, [1]) }),
  },
  { requiredKeys: [] },
);

const ingested = fc.record({
  id: span,
  trace_id: trace,
  name: fc.constantFrom('a', 'b'),
  kind,
  started_at: maybe(moment),
  ended_at: maybe(moment),
  status: fc.constantFrom('running', 'completed', { failed: { error: 'e' } }, undefined),
});

/** A write as a request: method, path, body. */
export type Write = readonly ['GET' | 'POST' | 'PATCH' | 'DELETE', string, unknown];

export const write: fc.Arbitrary<Write> = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(trace, ofTrace).map(([id, of]): Write => ['POST', '/api/traces', { id, ...of }]) },
  { weight: 1, arbitrary: fc.constant<Write>(['POST', '/api/traces', {}]) },
  { weight: 2, arbitrary: fc.tuple(trace, ofTrace).map(([id, of]): Write => ['PATCH', `/api/traces/${id}`, of]) },
  {
    weight: 5,
    arbitrary: fc
      .record({ id: maybe(span), trace_id: trace, name: fc.constant('s'), kind, started_at: maybe(moment) })
      .map((body): Write => ['POST', '/api/spans', body]),
  },
  {
    weight: 5,
    arbitrary: fc
      .tuple(span, fc.record({ kind, ended_at: maybe(moment) }))
      .map(([id, body]): Write => ['POST', `/api/spans/${id}/complete`, body]),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(span, fc.record({ kind, ended_at: maybe(moment), error: fc.constant('e') }))
      .map(([id, body]): Write => ['POST', `/api/spans/${id}/fail`, body]),
  },
  {
    weight: 8,
    arbitrary: fc
      .array(ingested, { minLength: 1, maxLength: 8 })
      .map((spans): Write => ['POST', '/api/ingest', { traces: spans.map(({ trace_id: id }) => ({ id })), spans }]),
  },
  { weight: 2, arbitrary: span.map((id): Write => ['DELETE', `/api/spans/${id}`, undefined]) },
  { weight: 2, arbitrary: trace.map((id): Write => ['DELETE', `/api/traces/${id}`, undefined]) },
  { weight: 1, arbitrary: fc.constant<Write>(['DELETE', '/api/traces', undefined]) },
);

/** Writes that are on their way at once, so that several of them share a transaction. */
export async function sendAtOnce(
  apps: readonly AnalyticsApp[],
  projects: readonly string[],
  writes: readonly (readonly [number, Write])[],
): Promise<number[]> {
  const answers = await Promise.all(
    writes.map(([place, [method, url, body]], index) =>
      apps[index % apps.length]!.call(method, url, body, projects[place % projects.length]),
    ),
  );
  return answers.map(({ status }) => status);
}
