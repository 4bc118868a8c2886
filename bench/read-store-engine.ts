import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type {
  ReadStoreFilters,
  ReadStoreKey,
  ReadStoreListQuery,
  ReadStoreSpan,
  ReadStoreSumQuery,
  ReadStoreTrace,
} from '@spandrel/plugin-api';
import type * as Connect from '../plugins/read-stores/clickhouse/connect.ts';
import type * as Store from '../plugins/read-stores/clickhouse/clickhouse-store.ts';
import { importSource } from './libs.ts';
import { median } from './load.ts';
import { DAYS, SpanMaker, SPANS_PER_TRACE } from './read-store-data.ts';
import { goal, heading, row } from './report.ts';

const BATCH_SPANS = 20_000;
/** Spans that are written while nothing is merged, which shows what inserts alone take. */
const UNMERGED_SPANS = 200_000;
const TAIL_SPANS = 1_000;
const TURNS = 4;
const PAGE = 51;
/** Parts count as merged when they have not changed for so long; after the longest they are taken as they are. */
const QUIET_MS = 3_000;
const MERGED_MS_MAX = 180_000;
const HOUR_MS = 3_600_000;
/** Bins of latencies: fewer than an answer has, of the same kind. */
const STEPS = [0, ...Array.from({ length: 200 }, (_, n) => Math.ceil(1.1 ** n))];
const PROJECT = 'bench';
const CONTENT = 'bench';

interface EngineFigures {
  spans: number;
  /** Spans a second. */
  perSecond: number;
  /** Spans a second of CPU: of inserts alone, and of all until parts are merged. */
  perCpuSecond: { inserts: number; all: number };
  bytes: number;
  parts: { loaded: number; merged: number };
  /** Milliseconds, just loaded and merged. */
  textMs: { loaded: number; merged: number };
  questions: { name: string; ms: number; limit: number }[];
}

/** Loads the plugin's engine in this process with spans as the loader does, and asks it what lists and charts ask. */
export async function measureEngine(spans: number, chdbFolder: string): Promise<EngineFigures> {
  const { openEmbedded } = (await importSource('plugins/read-stores/clickhouse/connect.ts')) as typeof Connect;
  const { ClickHouseStore } = (await importSource(
    'plugins/read-stores/clickhouse/clickhouse-store.ts',
  )) as typeof Store;
  const folder = mkdtempSync(join(tmpdir(), 'spandrel-bench-'));
  const engine = openEmbedded(join(folder, 'engine'), chdbFolder);
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const database = 'bench';
  const store = new ClickHouseStore({
    engine,
    database,
    cluster: undefined,
    coldDisk: undefined,
    timeoutMs: 60_000,
    logger,
  });
  const command = (query: string) => engine.client.command({ query });
  const one = async <Row>(query: string): Promise<Row> => {
    const answer = await engine.client.query({ query, format: 'JSONEachRow' });
    return (await answer.json<Row>())[0]!;
  };
  try {
    await store.open();
    await store.begin(CONTENT);
    const maker = new SpanMaker(spans, Math.floor(Date.now() / 1_000) * 1_000);
    let batch = 0;
    let making = 0;
    const load = async (first: number, end: number): Promise<void> => {
      for (let from = first; from < end; from += BATCH_SPANS) {
        const before = process.threadCpuUsage();
        const rows = Array.from({ length: Math.min(BATCH_SPANS, end - from) }, (_, n) => ({
          projectId: PROJECT,
          span: storedSpan(maker, from + n),
        }));
        const traces = Array.from({ length: Math.ceil(rows.length / SPANS_PER_TRACE) }, (_, n) => ({
          projectId: PROJECT,
          trace: storedTrace(maker, from + n * SPANS_PER_TRACE),
        }));
        const { user, system } = process.threadCpuUsage(before);
        making += user + system;
        await store.apply({ content: CONTENT, batch: ++batch, removed: [], traces, spans: rows });
      }
    };
    const began = performance.now();
    const cpu = process.cpuUsage();
    /** Microseconds of CPU, without those of making the spans. */
    const used = (): number => {
      const { user, system } = process.cpuUsage(cpu);
      return user + system - making;
    };
    const unmerged = Math.min(UNMERGED_SPANS, spans - TAIL_SPANS);
    await command(`SYSTEM STOP MERGES ${database}.spans`);
    await load(0, unmerged);
    const inserts = unmerged / (used() / 1e6);
    await command(`SYSTEM START MERGES ${database}.spans`);
    await load(unmerged, spans - TAIL_SPANS);
    // The first batch that is smaller has the indexes of those before it built.
    await load(spans - TAIL_SPANS, spans);
    const perSecond = spans / ((performance.now() - began - making / 1_000) / 1_000);

    const ask = async (question: () => Promise<unknown>): Promise<number> => {
      const millis: number[] = [];
      for (let turn = 0; turn < TURNS; turn++) {
        const start = performance.now();
        await question();
        millis.push(performance.now() - start);
      }
      return median(millis.slice(1));
    };
    const query = (filters: ReadStoreFilters) => ({
      ...{ projectId: PROJECT, filters, has: { content: CONTENT, batch } },
      ...{ except: { spans: [], traces: [] }, instead: { gone: [], traces: [] } },
    });
    const list =
      (filters: ReadStoreFilters, sort: ReadStoreListQuery['sort_by'] = 'started_at') =>
      () =>
        store.list({ ...query(filters), sort_by: sort, sort_order: 'desc', part: 'valued', limit: PAGE });
    const sum =
      (keys: readonly ReadStoreKey[], more: Partial<ReadStoreSumQuery> = {}) =>
      () =>
        store.sum({
          ...{ ...query({}), keys, bucket: null, top: 50, rank: 'count', has_none: true, given: [], steps: STEPS },
          ...{ latencies: false, first_tokens: false, limit: 100_000, ...more },
        });
    const parts = async (): Promise<{ parts: number; bytes: number }> => {
      const found = await one<{ parts: string; bytes: string }>(
        `SELECT count() AS parts, sum(bytes_on_disk) AS bytes FROM system.parts WHERE active AND database = '${database}'`,
      );
      return { parts: Number(found.parts), bytes: Number(found.bytes) };
    };
    const text = list({ text_contains: 'zebra' });
    const loaded = { parts: (await parts()).parts, text: await ask(text) };
    let last = await parts();
    for (const end = performance.now() + MERGED_MS_MAX; performance.now() < end;) {
      await sleep(QUIET_MS);
      const now = await parts();
      if (now.parts === last.parts && now.bytes === last.bytes) break;
      last = now;
    }
    const all = spans / (used() / 1e6);
    const asked: [name: string, limit: number, question: () => Promise<unknown>][] = [
      ['spans, model=gpt-4o', 100, list({ model: 'gpt-4o' })],
      ['spans, model=rare-model', 100, list({ model: 'rare-model' })],
      ['spans, status=failed', 100, list({ status: 'failed' })],
      ['spans, kind=retrieval', 100, list({ kind: 'retrieval' })],
      ['spans, dearest', 100, list({}, 'cost')],
      ['text without a hit', 300, text],
      [`${DAYS} days by hour and model`, 200, sum(['model'], { bucket: { width: HOUR_MS, origin: 0 } })],
      ['by model and status', 1_000, sum(['model', 'status'])],
      ['by kind and name', 1_000, sum(['kind', 'name'])],
      ['by user and model', 1_000, sum(['user', 'model'])],
      ['by model, percentiles', 1_000, sum(['model'], { latencies: true })],
    ];
    const questions: EngineFigures['questions'] = [];
    for (const [name, limit, question] of asked) questions.push({ name, limit, ms: await ask(question) });
    return {
      ...{ spans, perSecond, perCpuSecond: { inserts, all }, bytes: last.bytes, questions },
      parts: { loaded: loaded.parts, merged: last.parts },
      textMs: { loaded: loaded.text, merged: questions.find(({ name }) => name === 'text without a hit')!.ms },
    };
  } finally {
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function storedSpan(maker: SpanMaker, n: number): ReadStoreSpan {
  const span = maker.span(n);
  return {
    ...{ cached_tokens: null, first_token_ms: null },
    ...{ id: span.id, trace_id: span.traceId, name: span.name, kind: span.kind, model: span.model },
    ...{
      provider: span.provider,
      status: span.status,
      input_tokens: span.inputTokens,
      output_tokens: span.outputTokens,
    },
    ...{ total_tokens: span.inputTokens + span.outputTokens, cost: span.cost, duration_ms: span.durationMs },
    ...{ started_at: span.startedAt, ended_at: span.startedAt + span.durationMs, error: null },
    input: JSON.stringify([{ role: 'user', content: span.input }]),
    output: JSON.stringify({ text: span.output, finish_reason: 'stop' }),
  };
}

function storedTrace(maker: SpanMaker, n: number): ReadStoreTrace {
  const { id, name, userId, sessionId, tags, metadata, startedAt } = maker.trace(n);
  return {
    ...{ id, name, user_id: userId, session_id: sessionId, tags: tags.toSorted(), models: ['gpt-4o'], metadata },
    ...{ status: 'completed', started_at: startedAt, duration_ms: 4_000, cost: 0.01, total_tokens: 9_000 },
    span_count: SPANS_PER_TRACE,
  };
}

/** Prints what the engine takes, and notes it against the goals. */
export function reportEngine({ spans, perSecond, perCpuSecond, bytes, parts, textMs, questions }: EngineFigures): void {
  heading(`ClickHouse (chdb), ${spans} spans of 1.2 KB of prose over ${DAYS} days, medians in ms`);
  row('loaded', `${perSecond.toFixed(0)}/s`);
  row(
    'a second of CPU',
    `${perCpuSecond.inserts.toFixed(0)}`,
    'inserts',
    `${perCpuSecond.all.toFixed(0)}`,
    'with merges',
  );
  row('bytes a span', (bytes / spans).toFixed(0));
  row('parts', String(parts.loaded), 'loaded', String(parts.merged), 'merged');
  row('text without a hit', textMs.loaded.toFixed(1), 'loaded', textMs.merged.toFixed(1), 'merged');
  for (const { name, ms } of questions) row(name, ms.toFixed(1));
  goal('ClickHouse: inserts, spans a second of CPU', perCpuSecond.inserts, '>=', 50_000);
  goal('ClickHouse: bytes a span', bytes / spans, '<=', 1_200, { holdsAnywhere: true });
  for (const { name, ms, limit } of questions) goal(`ClickHouse: ${name}, ms`, ms, '<', limit);
}
