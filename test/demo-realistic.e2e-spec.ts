/** `npm run demo:realistic` fills a server with what its head promises: the pages are looked at with it. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startServerApp, type ServerApp } from './support/server-app.ts';
import { tempDir } from './support/spandrel.ts';

interface Recorded {
  traces: number;
  spans: number;
  dataset: string;
  runs: string[];
}
const { recordRealistic } = (await import('../scripts/demo-realistic/main.mjs' as string)) as {
  recordRealistic(server: { url: string }, options?: { sessions?: number }): Promise<Recorded>;
};

let server: ServerApp;
let recorded: Recorded;
beforeAll(async () => {
  server = await startServerApp({ dialect: 'sqlite', file: join(tempDir(), 'spandrel.db') });
  recorded = await recordRealistic(server, { sessions: 24 });
});
afterAll(() => server?.close());

const get = async <T>(path: string): Promise<T> => (await fetch(`${server.url}${path}`)).json() as Promise<T>;

it('records five users, three releases, errors and prices over eight days', async () => {
  const { traces } = await get<{
    traces: { user_id: string | null; started_at: string; metadata: { release: string }; unpriced_count: number }[];
  }>('/api/traces?limit=1000');
  const { spans } = await get<{ spans: { status: unknown }[] }>('/api/spans?limit=1000&view=outline&status=failed');
  const days = traces.map(({ started_at: start }) => start.slice(0, 10));

  expect(traces).toHaveLength(recorded.traces);
  expect(new Set(traces.map(({ user_id: user }) => user).filter(Boolean)).size).toBe(5);
  expect(new Set(traces.map(({ metadata }) => metadata.release)).size).toBe(3);
  expect(new Set(days).size).toBeGreaterThan(5);
  expect(traces.every(({ unpriced_count: unpriced }) => unpriced === 0)).toBe(true);
  expect(spans.length).toBeGreaterThan(3);
});

it('has prompts of 25,000 tokens, an image, and calls of tools', async () => {
  const { spans } = await get<{ spans: { kind: { type: string; input_tokens?: number }; input: unknown }[] }>(
    '/api/spans?limit=1000',
  );
  const texts = spans.map(({ input }) => JSON.stringify(input));

  expect(Math.max(...spans.map(({ kind }) => kind.input_tokens ?? 0))).toBeGreaterThan(25_000);
  expect(texts.some((text) => text.includes('data:image/png;base64,'))).toBe(true);
  expect(spans.some(({ kind }) => kind.type === 'tool_call')).toBe(true);
});

it('makes a dataset with completed runs of the releases, the last one better than the first', async () => {
  const runs = await Promise.all(recorded.runs.map((id) => get<{ status: string }>(`/api/eval/${id}?items=none`)));
  const means = await Promise.all(
    recorded.runs.map(async (id) => {
      const { scorers } = await get<{ scorers: Record<string, { mean: number }> }>(`/api/eval/${id}/statistics`);
      return scorers['correct']!.mean;
    }),
  );

  expect(runs.map(({ status }) => status)).toEqual(['completed', 'completed', 'completed']);
  expect(means[2]).toBeGreaterThan(means[0]!);
});
