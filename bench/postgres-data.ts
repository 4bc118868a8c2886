import { random } from '../test/support/random.ts';

const DAY_MS = 86_400_000;
const DAYS = 30;
const SPANS_PER_TRACE = 8;
/** Every so many spans one has the model that few have and a text that none else has. */
const RARE_EVERY = 20_000;
const MODELS = ['gpt-4o', 'gpt-4o-mini', 'claude-sonnet', 'claude-haiku', 'gemini-pro'];

/** The nth finished span of many that are spread evenly over the last 30 days, as `POST /api/ingest` takes it. */
export function spanOf(n: number, count: number, to: number): object {
  const below = random(n);
  const started = to - DAYS * DAY_MS + Math.floor((n / count) * DAYS * DAY_MS);
  const rare = n % RARE_EVERY === RARE_EVERY - 1;
  const model = rare ? 'rare-model' : MODELS[below(MODELS.length)]!;
  return {
    id: `01J${String(n).padStart(23, '0')}`,
    trace_id: traceIdOf(n),
    name: `step ${below(40)}`,
    kind: { type: 'llm_call', model, provider: 'openai', input_tokens: 50 + below(4_000), output_tokens: 20 },
    input: [{ role: 'user', content: `the agent answers a customer about an order that was late. ${'z'.repeat(900)}` }],
    output: { text: `${'w'.repeat(280)}${rare ? ' needle' : ''}`, finish_reason: 'stop' },
    started_at: new Date(started).toISOString(),
    ended_at: new Date(started + 20 + below(4_000)).toISOString(),
    status: below(1_000) === 0 ? 'failed' : 'completed',
  };
}

export const traceIdOf = (n: number): string => `trace-${Math.floor(n / SPANS_PER_TRACE)}`;
