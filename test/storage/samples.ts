import { random } from '../support/random.ts';

/** Spans of all sorts, the same in every run: many ties, many values missing. */
export interface Sample {
  id: string;
  traceId: string;
  parentId: string | null;
  name: string;
  kindType: string;
  model: string | null;
  provider: string | null;
  status: 'running' | 'completed' | 'failed';
  error: string | null;
  startedAt: number;
  duration: number | null;
  tokens: number | null;
  cost: number | null;
  input: unknown;
  output: unknown;
}

export const SAMPLE_COUNT = 400;
const BASE = Date.parse('2026-05-01T00:00:00.000Z');
const NAMES = ['a', 'A', 'b', 'B', 'ab', '100%', 'a_b', 'back\\slash', 'é', 'É', 'z', '', '😀', '\uffee'];
const ERRORS = ['e', 'Rate limit: 100% "used"', 'time_out'];
const TEXTS: unknown[] = [
  null,
  'Hello wörld 100% "quoted" back\\slash\nline',
  [{ role: 'user', content: 'hello_there É é 😀' }],
  { key: 12.5, deep: { list: [true, false, null, 'a\0b\u0001'] }, 'hello key': 1 },
  120,
  { text: 'UPPER lower', finish_reason: 'stop' },
  'u0001 {,} null',
];

export const sampleTraces = Array.from({ length: 7 }, (_, i) => ({
  id: `sample-${i}`,
  session_id: i % 3 === 2 ? null : `s${i % 3}`,
  user_id: i % 4 === 3 ? null : `u${i % 4}`,
  tags: [...(i % 2 === 0 ? ['even'] : []), ...(i === 0 ? ['third'] : [])],
  started_at: new Date(BASE + i).toISOString(),
}));

export function samples(count: number): Sample[] {
  const next = random(42);
  const pick = <T>(items: readonly T[]): T => items[next(items.length)]!;
  return Array.from({ length: count }, (_, i): Sample => {
    const kindType = pick(['llm_call', 'llm_call', 'tool_call']);
    const tokens = next(3) === 0 ? null : next(10);
    const status = pick(['running', 'completed', 'completed', 'failed'] as const);
    return {
      id: `sample-span-${i}`,
      traceId: `sample-${next(sampleTraces.length)}`,
      parentId: pick([null, 'sample-span-1', 'sample-span-2']),
      name: pick(NAMES),
      kindType,
      model: kindType === 'llm_call' ? pick(['m0', 'm1', 'm2']) : null,
      provider: pick([null, 'p0', 'p1']),
      status,
      error: status === 'failed' ? ERRORS[i % ERRORS.length]! : null,
      startedAt: BASE + next(50),
      duration: status === 'running' ? null : next(8),
      tokens,
      cost: pick([null, 0, 0.25, 0.1, 1e-9]),
      input: pick(TEXTS),
      output: pick(TEXTS),
    };
  });
}

/** The sample as an item of an ingest. */
export const span = (sample: Sample): object => ({
  id: sample.id,
  trace_id: sample.traceId,
  parent_id: sample.parentId,
  name: sample.name,
  kind: {
    type: sample.kindType,
    model: sample.model ?? undefined,
    provider: sample.provider,
    input_tokens: sample.tokens,
    cost: sample.cost,
  },
  status: sample.status,
  error: sample.error,
  started_at: new Date(sample.startedAt).toISOString(),
  ended_at: sample.duration === null ? null : new Date(sample.startedAt + sample.duration).toISOString(),
  input: sample.input,
  output: sample.output,
});
