import { expect } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import * as fc from 'fast-check';
import { analyticsFeature } from '@spandrel/analytics';
import { ANALYTICS_GROUPS_MAX, GROUP_KEYS, RANK_MEASURES } from '@spandrel/contract';
import { eventsFeature } from '@spandrel/events';
import type { Registry } from '@prometheus-io/client';
import { LOCAL_SCOPE, METRICS, type Settings } from '@spandrel/kernel';
import { LoadReadStore, readStoreFeature, rebuildReadStore } from '@spandrel/read-store';
import { scoresFeature } from '@spandrel/scores';
import type { StorageConfig } from '@spandrel/storage';
import { ExpireSpans, ReadStorePort, tracingFeature } from '@spandrel/tracing';
import { ReadStoreSettings } from '../../libs/read-store/src/read-store.settings.js';
import { callInProcess } from '../support/in-process.ts';
import { openInProcess } from '../support/server-app.ts';

type Plugin = Settings['core']['plugins'][number];

/** The API on a database with a read store beside it, which is filled when a test says so. */
export async function openWithStore(database: StorageConfig, name: string, plugin: Plugin) {
  const { app, storage } = await openInProcess(
    { database, features: [eventsFeature, tracingFeature, scoresFeature, analyticsFeature, readStoreFeature] },
    {
      settings: (settings) => {
        settings.of(ReadStoreSettings).plugin = name;
        settings.core.plugins = [plugin];
      },
    },
  );
  await rebuildReadStore(storage);
  const load = (): Promise<void> => app.get(LoadReadStore).execute();
  const port = app.get(ReadStorePort);
  const { registered } = port;
  const call = (method: 'GET' | 'POST' | 'DELETE', url: string, body?: unknown) =>
    callInProcess<Record<string, unknown> & { next_cursor?: string | null }>(app, { method, url, body });
  /** An answer with the store or without; of a list everything, page by page. */
  const answered = async ({ method, url, body }: Question, byStore: boolean): Promise<string[]> => {
    const pages: string[] = [];
    for (let cursor = ''; ;) {
      port.registered = byStore ? registered : undefined;
      const answer = await call(method, `${url}${cursor}`, body).finally(() => (port.registered = registered));
      expect([url, body, answer.body, answer.status]).toEqual([url, body, answer.body, 200]);
      const { next_cursor: next, ...page } = answer.body;
      pages.push(JSON.stringify(page));
      if (typeof next !== 'string') return pages;
      cursor = `&cursor=${next}`;
    }
  };
  const metrics = async () => ({ text: await app.get<Registry>(METRICS).metrics() });
  const close = async (): Promise<void> => {
    await app.close();
    await storage.close();
  };
  return { app: app as NestFastifyApplication, storage, load, call, answered, metrics, close };
}

interface Question {
  method: 'GET' | 'POST';
  url: string;
  body?: unknown;
}

export type StoreApp = Awaited<ReturnType<typeof openWithStore>>;

const NOW = Date.UTC(2026, 10, 20);
const IDS = Array.from({ length: 40 }, (_, at) => `s${at}`);
const TRACES = ['t1', 't2', 't3', 't4'];
const one = <T>(...values: T[]) => fc.constantFrom(...values);

const span = fc.record({
  id: fc.constantFrom(...IDS),
  trace_id: fc.constantFrom(...TRACES),
  name: one('plan', 'Plan B', 'été', '計画'),
  kind: one(
    { type: 'custom' },
    { type: 'llm_call', model: 'gpt', provider: 'openai', input_tokens: 3, output_tokens: 5, cost: 0.1 },
    { type: 'llm_call', model: 'claude', provider: 'anthropic', input_tokens: 900, output_tokens: 0, cost: 2.5 },
  ),
  input: one<unknown>(null, 'Hello there', { say: 'Straße "Köln"' }, ['%_\\', 17]),
  output: one<unknown>(null, 'HELLO', { text: 'no' }),
  started_at: fc.integer({ min: 0, max: 40 }).map((days) => new Date(NOW - days * 7 * 86_400_000).toISOString()),
  metadata: one({}, { time_to_first_token_ms: 250 }, { time_to_first_token_ms: 17.5, note: 'aloud' }),
  ends: one(null, 0, 12, 90_000),
  fails: fc.boolean(),
});

/** What a trace says of itself; some of it changes with every write. */
const trace = fc.record(
  {
    name: one('plan', 'Été', '計画'),
    user_id: one('ada', 'bob', 'eve'),
    session_id: one('morning', 'evening'),
    tags: one(['blue'], ['blue', 'red'], []),
    metadata: one({ env: 'cloud' }, { env: 'prod', n: 1.5 }, { n: ['x', 2] }),
  },
  { requiredKeys: [] },
);

/** What happens between two looks at the lists. */
const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        does: fc.constant('write' as const),
        traces: fc.array(trace, { minLength: TRACES.length, maxLength: TRACES.length }),
        spans: fc.array(span, { minLength: 1, maxLength: 12 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        does: fc.constant('delete' as const),
        path: fc.constantFrom(...IDS.map((id) => `spans/${id}`)),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        does: fc.constant('delete' as const),
        path: fc.constantFrom(...TRACES.map((id) => `traces/${id}`)),
      }),
    },
    { weight: 1, arbitrary: fc.record({ does: fc.constant('delete' as const), path: fc.constant('traces') }) },
    { weight: 1, arbitrary: fc.record({ does: fc.constant('expire' as const), days: one(30, 120, 240) }) },
    { weight: 5, arbitrary: fc.record({ does: fc.constant('load' as const) }) },
  ),
  { minLength: 4, maxLength: 14 },
);

const maybe = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
const since = maybe(one(new Date(NOW - 100 * 86_400_000).toISOString()));
const ofTraces = {
  session_id: maybe(one('morning', 'none')),
  user_id: maybe(one('ada', 'bob')),
  tag: maybe(one('blue', 'red')),
};
const filters = {
  status: maybe(one('running', 'completed', 'failed')),
  kind: maybe(one('custom', 'llm_call')),
  model: maybe(one('gpt', 'claude', 'none')),
  name_contains: maybe(one('PLAN', 'é', '画')),
  duration_min: maybe(one('1', '5000')),
  cost_min: maybe(one('0.1', '1')),
  tokens_min: maybe(one('8', '100')),
  since,
  ...ofTraces,
};
const order = { sort_order: maybe(one('asc', 'desc')), limit: one('3', '17', '100') };
const spanLists = fc.record({
  ...filters,
  text_contains: maybe(one('hello', 'straße', '"köln"', '%_\\', '17', 'say')),
  output_contains: maybe(one('hello', 'o')),
  sort_by: maybe(one('started_at', 'duration', 'tokens', 'cost', 'name')),
  ...order,
});
const traceLists = fc.record({
  ...{ ...filters, kind: fc.constant(undefined), session_id: fc.constant(undefined) },
  sort_by: maybe(one('started_at', 'duration', 'tokens', 'cost', 'spans')),
  ...order,
});
const key = one(...GROUP_KEYS, 'metadata.env', 'metadata.n');
const sums = fc.record({
  filters: fc.record(filters).map((given) => withNumbers(defined(given))),
  group_by: fc.uniqueArray(key, { maxLength: 2 }),
  bucket: maybe(one('day', 'week', 'hour')),
  order_by: maybe(one(...RANK_MEASURES)),
  top: one(1, 2, 5, ANALYTICS_GROUPS_MAX),
  percentiles: fc.boolean(),
  first_token: fc.boolean(),
  score: fc.constant('taste'),
});
const series = fc.record({
  of: one('spans', 'llm_calls', 'traces'),
  model: maybe(one('gpt', 'claude')),
  user_id: maybe(one('ada', 'bob')),
  split_by: one('user', 'session', 'tag', 'trace_name', 'metadata.env', 'model'),
  group_by: one('day', 'week'),
  top: one(1, 3),
  percentiles: fc.boolean(),
  totals: fc.boolean(),
  ...{ since, until: fc.constant(new Date(NOW + 1).toISOString()) },
});
const facets = fc.record({
  of: one('model', 'provider', 'kind', 'tag', 'span_name', 'trace_name', 'user', 'session'),
  prefix: maybe(one('p', 'a', '計')),
  since,
});
const NO_COUNT = new Set(['sort_by', 'sort_order', 'limit']);
const defined = (query: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
const withNumbers = (given: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      /_m(in|ax)$/.test(name) ? Number(value) : name === 'tag' ? [value] : value,
    ]),
  );
const queried =
  (path: string, without = new Set<string>()) =>
  (query: Record<string, unknown>): Question => {
    const given = Object.entries(defined(query)).filter(([name]) => !without.has(name)) as [string, string][];
    return { method: 'GET', url: `/api/${path}?${new URLSearchParams(given)}` };
  };
const posted =
  (path: string) =>
  (body: Record<string, unknown>): Question => ({
    method: 'POST',
    url: `/api/${path}`,
    body: defined(body),
  });
const questions = fc.oneof(
  { weight: 4, arbitrary: spanLists.map(queried('spans')) },
  { weight: 1, arbitrary: spanLists.map(queried('count/spans', NO_COUNT)) },
  { weight: 3, arbitrary: traceLists.map(queried('traces')) },
  { weight: 1, arbitrary: traceLists.map(queried('count/traces', NO_COUNT)) },
  { weight: 4, arbitrary: sums.map(posted('analytics/query')) },
  { weight: 2, arbitrary: series.map(posted('analytics')) },
  { weight: 1, arbitrary: facets.map(queried('facets')) },
);

/** Does a step. */
async function take(app: StoreApp, step: Step): Promise<void> {
  if (step.does === 'load') return app.load();
  if (step.does === 'expire') {
    const terms = [{ ...LOCAL_SCOPE, plan: 'starter', days: step.days }];
    return void (await app.app.get(ExpireSpans).execute(terms, NOW, new AbortController().signal));
  }
  if (step.does === 'delete') return void (await app.call('DELETE', `/api/${step.path}`));
  const spans = step.spans.map(({ ends, fails, ...given }) => ({
    ...given,
    ...(ends !== null && { ended_at: new Date(Date.parse(given.started_at) + ends).toISOString() }),
    ...(ends !== null && fails && { status: { failed: { error: 'It went WRONG' } } }),
  }));
  const traces = TRACES.map((id, at) => ({ id, ...step.traces[at] }));
  const scores = step.spans.flatMap(({ id, trace_id }, at) =>
    at % 3 > 0
      ? []
      : [{ id: `of-${id}`, trace_id, ...(at % 2 === 0 && { span_id: id }), name: 'taste', value: at / 4 }],
  );
  const { status, text } = await app.call('POST', '/api/ingest', { traces, spans, scores });
  expect(status).toBe(200);
  // A span or a score may be refused as it is of another trace; none is for its form.
  expect(text).not.toContain('is required');
}

type Step =
  | { does: 'load' }
  | { does: 'delete'; path: string }
  | { does: 'expire'; days: number }
  | { does: 'write'; traces: object[]; spans: (typeof span extends fc.Arbitrary<infer Span> ? Span : never)[] };

/**
 * Any changes, and questions in between: answers are the same with the store and without, whatever of it is loaded.
 * @returns how many questions were asked.
 */
export async function assertAlwaysEqual(app: StoreApp, numRuns: number, questionsAtOnce: number): Promise<number> {
  let asked = 0;
  const looks = fc.array(questions, { minLength: 14 * questionsAtOnce, maxLength: 14 * questionsAtOnce });
  await fc.assert(
    fc.asyncProperty(steps, looks, async (taken, looked) => {
      for (const [at, step] of taken.entries()) {
        await take(app, step);
        for (const question of looked.slice(at * questionsAtOnce, (at + 1) * questionsAtOnce)) {
          const [stored, alone] = [await app.answered(question, true), await app.answered(question, false)];
          expect([question, stored]).toEqual([question, alone]);
          asked++;
        }
      }
    }),
    { numRuns },
  );
  return asked;
}
