import { expect } from '@jest/globals';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import * as fc from 'fast-check';
import { eventsFeature } from '@spandrel/events';
import type { Registry } from '@prometheus-io/client';
import { METRICS, type Settings } from '@spandrel/kernel';
import { LoadReadStore, readStoreFeature, rebuildReadStore } from '@spandrel/read-store';
import type { StorageConfig } from '@spandrel/storage';
import { ReadStorePort, tracingFeature } from '@spandrel/tracing';
import { ReadStoreSettings } from '../../libs/read-store/src/read-store.settings.js';
import { callInProcess } from '../support/in-process.ts';
import { openInProcess } from '../support/server-app.ts';

type Plugin = Settings['core']['plugins'][number];

/** The API on a database with a read store beside it, which is filled when a test says so. */
export async function openWithStore(database: StorageConfig, name: string, plugin: Plugin) {
  const { app, storage } = await openInProcess(
    { database, features: [eventsFeature, tracingFeature, readStoreFeature] },
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
    callInProcess<{ id: string; spans: { id: string }[]; count: number; next_cursor: string | null }>(app, {
      method,
      url,
      body,
    });
  /** Everything of a list, page by page, with the store or without. */
  const listed = async (query: string, byStore: boolean): Promise<string[]> => {
    const pages: string[] = [];
    for (let cursor = ''; ;) {
      port.registered = byStore ? registered : undefined;
      const { status, body } = await call('GET', `/api/spans?${query}${cursor}`).finally(
        () => (port.registered = registered),
      );
      expect([query, status]).toEqual([query, 200]);
      pages.push(...body.spans.map((span) => JSON.stringify(span)));
      if (body.next_cursor === null) return pages;
      cursor = `&cursor=${body.next_cursor}`;
    }
  };
  const counted = async (query: string, byStore: boolean): Promise<number> => {
    port.registered = byStore ? registered : undefined;
    const { body } = await call('GET', `/api/count/spans?${query}`).finally(() => (port.registered = registered));
    return body.count;
  };
  const metrics = async () => ({ text: await app.get<Registry>(METRICS).metrics() });
  const close = async (): Promise<void> => {
    await app.close();
    await storage.close();
  };
  return { app: app as NestFastifyApplication, storage, load, call, listed, counted, metrics, close };
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
  ends: one(null, 0, 12, 90_000),
  fails: fc.boolean(),
});

/** What happens between two looks at the lists. */
const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        does: fc.constant('write' as const),
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
    { weight: 5, arbitrary: fc.record({ does: fc.constant('load' as const) }) },
  ),
  { minLength: 4, maxLength: 14 },
);

const maybe = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 5, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
const queries = fc.record({
  status: maybe(one('running', 'completed', 'failed')),
  kind: maybe(one('custom', 'llm_call')),
  model: maybe(one('gpt', 'claude', 'none')),
  name_contains: maybe(one('PLAN', 'é', '画')),
  text_contains: maybe(one('hello', 'straße', '"köln"', '%_\\', '17', 'say')),
  output_contains: maybe(one('hello', 'o')),
  duration_min: maybe(one('1', '5000')),
  cost_min: maybe(one('0.1', '1')),
  tokens_min: maybe(one('8', '100')),
  since: maybe(one(new Date(NOW - 100 * 86_400_000).toISOString())),
  sort_by: maybe(one('started_at', 'duration', 'tokens', 'cost', 'name')),
  sort_order: maybe(one('asc', 'desc')),
  limit: one('3', '17', '100'),
});

/** Does a step. */
async function take(app: StoreApp, step: Step): Promise<void> {
  if (step.does === 'load') return app.load();
  if (step.does === 'delete') return void (await app.call('DELETE', `/api/${step.path}`));
  const spans = step.spans.map(({ ends, fails, ...given }) => ({
    ...given,
    ...(ends !== null && { ended_at: new Date(Date.parse(given.started_at) + ends).toISOString() }),
    ...(ends !== null && fails && { status: { failed: { error: 'It went WRONG' } } }),
  }));
  const traces = TRACES.map((id) => ({ id }));
  const { status } = await app.call('POST', '/api/ingest', { traces, spans });
  expect(status).toBe(200);
}

type Step =
  | { does: 'load' }
  | { does: 'delete'; path: string }
  | { does: 'write'; spans: (typeof span extends fc.Arbitrary<infer Span> ? Span : never)[] };

/** Any changes, and lists in between: the same with the store and without, whatever of it is loaded. */
export async function assertAlwaysEqual(app: StoreApp, numRuns: number, queriesAtOnce: number): Promise<void> {
  const looks = fc.array(queries, { minLength: queriesAtOnce, maxLength: queriesAtOnce });
  await fc.assert(
    fc.asyncProperty(steps, looks, async (taken, asked) => {
      for (const step of taken) {
        await take(app, step);
        for (const query of asked) await assertEqual(app, query);
      }
    }),
    { numRuns },
  );
}

/** Lists and counts are the same with the store and without. */
async function assertEqual(app: StoreApp, query: Record<string, string | undefined>): Promise<void> {
  const given = Object.entries(query).filter((entry): entry is [string, string] => entry[1] !== undefined);
  const text = new URLSearchParams(given).toString();
  expect([text, await app.listed(text, true)]).toEqual([text, await app.listed(text, false)]);
  const filters = given.filter(([name]) => !['sort_by', 'sort_order', 'limit'].includes(name));
  const counted = new URLSearchParams(filters).toString();
  expect([text, await app.counted(counted, true)]).toEqual([text, await app.counted(counted, false)]);
}
