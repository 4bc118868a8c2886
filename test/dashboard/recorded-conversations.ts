/** Conversations whose ids differ in blanks and case alone, and calls that differ in words, models and costs. */
import { expect } from '@jest/globals';
import type { Api } from '../support/api.ts';

const NOON = Date.parse('2026-11-20T12:00:00.000Z');
const at = (ms: number): string => new Date(NOON + ms).toISOString();
const MINUTE = 60_000;

interface RecordedCall {
  trace: string;
  n: number;
  asked: string;
  answer: string;
  model?: string;
  cost?: number;
  error?: string;
}

/** A call of a model, a minute after the one before. */
export const callOf = ({ trace, n, asked, answer, model = 'gpt-5.1', cost = 0.01, error }: RecordedCall): object => ({
  ...{
    id: `${trace}-call`,
    trace_id: trace,
    name: `call ${n}`,
    started_at: at(n * MINUTE),
    ended_at: at(n * MINUTE + 900),
  },
  kind: { type: 'llm_call', model, provider: 'openai', input_tokens: 100 + n, output_tokens: 20, cost },
  input: [{ role: 'user', content: asked }],
  output: { text: answer },
  status: error === undefined ? 'completed' : { failed: { error } },
});

/** Records three turns of the session ` a`, two of `a` and one of `A`. */
export async function recordConversations(api: Api): Promise<void> {
  const turns = [' a', 'a', ' a', 'A', ' a', 'a'];
  const traces = turns.map((session, n) => ({
    ...{
      id: `turn-${n}`,
      name: `turn ${n}`,
      session_id: session,
      user_id: n % 2 === 0 ? 'ann' : 'bob',
      started_at: at(n * MINUTE),
    },
  }));
  const spans = turns.map((_, n) =>
    callOf({ trace: `turn-${n}`, n, asked: `Question ${n}\nin two lines`, answer: `Answer ${n} <b>as it is</b>` }),
  );
  await ingest(api, traces, spans);
}

/** Records calls of two models, one of which is asked for a lighthouse: twelve of `gpt-5.1`, twelve of `claude`; call 20 failed. */
export async function recordCalls(api: Api): Promise<void> {
  const numbers = Array.from({ length: 24 }, (_, n) => n);
  const traces = numbers.map((n) => ({
    id: `calls-${n}`,
    name: `calls ${n}`,
    started_at: at((n + 60) * MINUTE),
    tags: ['calls'],
  }));
  const spans = numbers.map((n) =>
    callOf({
      ...{ trace: `calls-${n}`, n: n + 60, model: n % 2 === 0 ? 'gpt-5.1' : 'claude', cost: (n * 7) % 24 },
      ...{ asked: n % 8 === 0 ? `Where is the lighthouse ${n}?` : `Hello ${n}`, answer: `Nowhere ${n}` },
      ...(n === 20 && { error: 'the lamp is out: request 20' }),
    }),
  );
  await ingest(api, traces, spans);
}

async function ingest(api: Api, traces: object[], spans: object[]): Promise<void> {
  const answer = await api.post<{ rejected: unknown[] }>('/api/ingest', { traces, spans });
  expect([answer.status, answer.body.rejected]).toEqual([200, []]);
}
