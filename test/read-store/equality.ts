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
  const call = (method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, body?: unknown) =>
    callInProcess<Record<string, unknown> & { next_cursor?: string | null }>(app, { method, url, body });
  /** Every page of a list. */
  const pagesOf = async ({ method, url, body }: Question): Promise<string[]> => {
    const pages: string[] = [];
    for (let cursor = ''; ;) {
      const answer = await call(method, `${url}${cursor}`, body);
      expect([url, body, answer.body, answer.status]).toEqual([url, body, answer.body, 200]);
      const { next_cursor: next, ...page } = answer.body;
      pages.push(JSON.stringify(page));
      if (typeof next !== 'string') return pages;
      cursor = `&cursor=${next}`;
    }
  };
  /** Answers with the store or without. */
  const answered = (questions: readonly Question[], byStore: boolean): Promise<string[][]> => {
    port.registered = byStore ? registered : undefined;
    return Promise.all(questions.map(pagesOf)).finally(() => (port.registered = registered));
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
const IDS = Array.from({ length: 40 }, (_, at) => (at % 5 === 4 ? `Ö"${at}'\\` : `s${at}`));
const TRACES = ['t1', 't2', 'T3', "t'4"];
const one = <T>(...values: T[]) => fc.constantFrom(...values);
const at = (ms: number): string => new Date(ms).toISOString();

const NAMES = ['plan', 'Plan B', 'été', 'ÉTÉ', '計画', 'zürich', 'a_b%c', '🦊 fox', 'it\'s \\ "so"', ''];
const MODELS = ['gpt', 'claude', 'Gpt', "o'model\\", ''];
const call = fc.record({
  type: fc.constant('llm_call'),
  model: one(...MODELS),
  provider: one('openai', 'anthropic', null, "p'"),
  input_tokens: one(null, 0, 3, 900, 2 ** 40),
  output_tokens: one(null, 0, 5, 2 ** 41),
  cached_input_tokens: one(null, 0, 2),
  cost: one(0, 0.1, 0.30000000000000004, 2.5, 1e-9, 12_345.678_9),
});
const TEXTS: unknown[] = [
  ...[null, 'Hello there', { say: 'Straße "Köln"' }, ['%_\\', 17], 'İstanbul ıd', 'ſharp KELVIN K', ''],
  ...['line\nfeed\ttab', { a: { b: ['🦊', 'O\u0000'.slice(0, 1)] } }, 'ab', 'ΣΊΣΥΦΟΣ ς', true, 0.1],
];
const span = fc.record({
  id: fc.constantFrom(...IDS),
  trace_id: fc.constantFrom(...TRACES),
  name: one(...NAMES.slice(0, -1)),
  kind: fc.oneof(one<object>({ type: 'custom' }, { type: 'tool_call' }, { type: "k'\\" }), call),
  input: one(...TEXTS),
  output: one(...TEXTS),
  started_at: fc
    .oneof(
      fc.integer({ min: 0, max: 40 }).map((weeks) => NOW - weeks * 7 * 86_400_000),
      one(NOW, NOW - 1, NOW - 86_400_000, NOW - 8 * 86_400_000 + 1, NOW + 400 * 86_400_000),
    )
    .map(at),
  metadata: one({}, { time_to_first_token_ms: 250 }, { time_to_first_token_ms: 17.5, note: 'aloud' }),
  ends: one(null, 0, 12, 90_000, 2 ** 33),
  fails: one(null, null, 'It went WRONG', 'Zeitüberschreitung: %'),
});

/** What a trace says of itself; some of it changes with every write. */
const said = {
  name: one('plan', 'Été', '計画', "it's"),
  user_id: one('ada', 'bob', 'Ådå', "o'user"),
  session_id: one('morning', 'evening'),
  tags: one(['blue'], ['blue', 'red'], [], [''], ["t'\\", 'Blue', '🦊']),
  metadata: one({ env: 'cloud' }, { env: 'prod', n: 1.5 }, { n: ['x', 2] }, { env: '', n: null }, { env: true }),
};
const trace = fc.record(said, { requiredKeys: [] });
const written = fc.record({
  does: fc.constant('write' as const),
  traces: fc.array(trace, { minLength: TRACES.length, maxLength: TRACES.length }),
  spans: fc.array(span, { minLength: 1, maxLength: 12 }),
});

const STEPS_MIN = 4;
/** What happens between two looks at the lists. */
const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: written },
    // A load goes on while something is written.
    { weight: 3, arbitrary: written.map((step) => ({ ...step, does: 'write and load' as const })) },
    {
      weight: 2,
      arbitrary: fc.record({
        does: fc.constant('patch' as const),
        path: fc.constantFrom(...TRACES.map((id) => `traces/${encodeURIComponent(id)}`)),
        body: fc.record({ ...said, user_id: one(null, 'eve') }, { requiredKeys: [] }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        does: fc.constant('delete' as const),
        path: fc.constantFrom(...IDS.map((id) => `spans/${encodeURIComponent(id)}`)),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        does: fc.constant('delete' as const),
        path: fc.constantFrom(...TRACES.map((id) => `traces/${encodeURIComponent(id)}`)),
      }),
    },
    { weight: 1, arbitrary: fc.record({ does: fc.constant('delete' as const), path: fc.constant('traces') }) },
    { weight: 1, arbitrary: fc.record({ does: fc.constant('expire' as const), days: one(30, 120, 240) }) },
    { weight: 5, arbitrary: fc.record({ does: fc.constant('load' as const) }) },
  ),
  { minLength: STEPS_MIN, maxLength: 14 },
);

const maybe = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
const seldom = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 19, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
const since = maybe(one(at(NOW - 100 * 86_400_000), at(NOW - 1), at(0)));
const until = maybe(one(at(NOW), at(NOW - 30 * 86_400_000), at(NOW + 1)));
const ofTraces = {
  session_id: maybe(one('morning', 'none')),
  user_id: maybe(one('ada', 'bob', 'Ådå', "o'user")),
  tag: maybe(one('blue', 'red', '', "t'\\", '🦊')),
};
const filters = {
  status: maybe(one('running', 'completed', 'failed')),
  kind: maybe(one('custom', 'llm_call', "k'\\")),
  model: maybe(one(...MODELS, 'none')),
  provider: maybe(one('openai', "p'")),
  name_contains: maybe(one('PLAN', 'é', '画', '_', '%', '\\', "'", 'Z', '🦊', '')),
  duration_min: maybe(one('1', '5000', '0', '0.5')),
  duration_max: maybe(one('12', '5000', '0')),
  cost_min: maybe(one('0.1', '1', '0', '0.30000000000000004', '1e-9')),
  tokens_min: maybe(one('8', '100', '0', '2.5')),
  ...{ since, until, ...ofTraces },
};
const needle = one(
  'hello',
  'straße',
  'STRASSE',
  '"köln"',
  '%_\\',
  '17',
  'say',
  'i',
  'İ',
  'ı',
  'k',
  'K',
  's',
  '🦊',
  '\n',
  'ab',
  'σ',
  '',
);
const order = { sort_order: maybe(one('asc', 'desc')), limit: one('3', '17', '100') };
const spanLists = fc.record({
  ...filters,
  ...{ text_contains: maybe(needle), input_contains: maybe(needle), output_contains: maybe(needle) },
  error_contains: maybe(one('wrong', 'ÜBER', '%', 'z')),
  trace_id: seldom(one(...TRACES)),
  score: seldom(one('taste<0.5', 'taste>=0.5')),
  view: maybe(one('outline', 'full')),
  sort_by: maybe(one('started_at', 'duration', 'tokens', 'cost', 'name', 'score:taste')),
  ...order,
});
const traceLists = fc.record({
  ...{ ...filters, kind: fc.constant(undefined) },
  'metadata.env': seldom(one('cloud', 'true')),
  score: seldom(one('taste<0.5')),
  sort_by: maybe(one('started_at', 'duration', 'tokens', 'cost', 'spans', 'score:taste')),
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
  model: maybe(one(...MODELS)),
  provider: maybe(one('openai', "p'")),
  user_id: maybe(one('ada', 'bob', "o'user")),
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
const NO_COUNT = new Set(['sort_by', 'sort_order', 'limit', 'view']);
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
  if (step.does === 'patch') return void (await app.call('PATCH', `/api/${step.path}`, step.body));
  if (step.does === 'write and load') {
    await Promise.all([app.load(), take(app, { ...step, does: 'write' })]);
    return;
  }
  const spans = step.spans.map(({ ends, fails, ...given }) => ({
    ...given,
    ...(ends !== null && { ended_at: new Date(Date.parse(given.started_at) + ends).toISOString() }),
    ...(ends !== null && fails !== null && { status: { failed: { error: fails } } }),
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
  | { does: 'patch'; path: string; body: object }
  | { does: 'expire'; days: number }
  | {
      does: 'write' | 'write and load';
      traces: object[];
      spans: (typeof span extends fc.Arbitrary<infer Span> ? Span : never)[];
    };

/** Questions a long run asks each store on each database. */
export const EQUALITY_QUERIES = Number(process.env['SPANDREL_EQUALITY_QUERIES'] ?? 0);

/**
 * Any changes, and questions in between: answers are the same with the store and without, whatever of it is loaded.
 * @param queries how many questions are asked.
 */
export async function assertAlwaysEqual(app: StoreApp, queries: number, atOnce: number): Promise<void> {
  let asked = 0;
  const looks = fc.array(questions, { minLength: 14 * atOnce, maxLength: 14 * atOnce });
  await fc.assert(
    fc.asyncProperty(steps, looks, async (taken, looked) => {
      for (const [at, step] of taken.entries()) {
        if (asked >= queries) return;
        await take(app, step);
        const some = looked.slice(at * atOnce, (at + 1) * atOnce);
        const [stored, alone] = [await app.answered(some, true), await app.answered(some, false)];
        const pairs = (answers: string[][]) => some.map((question, n) => [question, answers[n]]);
        expect(pairs(stored)).toEqual(pairs(alone));
        asked += some.length;
      }
    }),
    { numRuns: Math.ceil(queries / (STEPS_MIN * atOnce)) },
  );
  expect(asked).toBeGreaterThanOrEqual(queries);
}
