import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
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
const TURNS = 4;
const PAGE = 51;
/** Parts count as merged when they have not changed for so long; after the longest they are taken as they are. */
const QUIET_MS = 3_000;
const MERGED_MS_MAX = 900_000;
const HOUR_MS = 3_600_000;
/** Bins of latencies: fewer than an answer has, of the same kind. */
const STEPS = [0, ...Array.from({ length: 200 }, (_, n) => Math.ceil(1.1 ** n))];
const PROJECT = 'bench';
const CONTENT = 'bench';

/** What a fill took. */
interface LoadFigures {
  /** Spans a second. */
  perSecond: number;
  /** Spans a second of CPU: of inserts alone, where they were measured, and of all until parts are merged. */
  perCpuSecond: { inserts: number | undefined; all: number };
  parts: { loaded: number; merged: number };
  /** Milliseconds of a search without a hit, just loaded. */
  textMs: number;
}

interface EngineFigures extends LoadFigures {
  spans: number;
  bytes: number;
  questions: { name: string; ms: number; limit: number }[];
}

/** In the folder of a store that is kept: when the last span starts, from the beginning of a fill; what it took, once it has ended. */
const MARK = 'filled.json';

/**
 * Loads the plugin's engine in this process with spans as the loader does, and asks it what lists and charts ask.
 * @param keep a folder in which the store stays for later runs, which ask it alone; a fill that was ended is gone on with.
 */
export async function measureEngine(spans: number, chdbFolder: string, keep?: string): Promise<EngineFigures> {
  const { openEmbedded } = (await importSource('plugins/read-stores/clickhouse/connect.ts')) as typeof Connect;
  const { ClickHouseStore } = (await importSource(
    'plugins/read-stores/clickhouse/clickhouse-store.ts',
  )) as typeof Store;
  const folder =
    keep === undefined ? mkdtempSync(join(tmpdir(), 'spandrel-bench-')) : resolve(keep, `read-store-chdb-${spans}`);
  mkdirSync(folder, { recursive: true });
  const mark = join(folder, MARK);
  const kept: { to: number; load?: LoadFigures } = existsSync(mark)
    ? JSON.parse(readFileSync(mark, 'utf8'))
    : { to: Math.floor(Date.now() / 1_000) * 1_000 };
  writeFileSync(mark, JSON.stringify(kept));
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
    const state = await store.state();
    if (!state) await store.begin(CONTENT);
    let batch = state?.batch ?? 0;
    const maker = new SpanMaker(spans, kept.to);
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
    const parts = async () => {
      const found = await one<Record<'parts' | 'bytes' | 'busy', string>>(
        `SELECT count() AS parts, sum(bytes_on_disk) AS bytes, (SELECT count() FROM system.merges)
          + (SELECT count() FROM system.mutations WHERE NOT is_done) AS busy
        FROM system.parts WHERE active AND database = '${database}'`,
      );
      return { parts: Number(found.parts), bytes: Number(found.bytes), isBusy: Number(found.busy) > 0 };
    };
    const text = list({ text_contains: 'zebra' });
    /** Until parts have not changed for a while. */
    const merged = async (): Promise<Awaited<ReturnType<typeof parts>>> => {
      let last = await parts();
      for (const end = performance.now() + MERGED_MS_MAX; performance.now() < end;) {
        await sleep(QUIET_MS);
        const now = await parts();
        if (!now.isBusy && now.parts === last.parts && now.bytes === last.bytes) break;
        last = now;
      }
      return last;
    };
    const load = async (): Promise<LoadFigures> => {
      let making = 0;
      const first = Math.min(batch * BATCH_SPANS, spans);
      const fill = async (to: number): Promise<void> => {
        for (let from = batch * BATCH_SPANS; from < to; from += BATCH_SPANS) {
          const before = process.threadCpuUsage();
          const rows = Array.from({ length: Math.min(BATCH_SPANS, to - from) }, (_, n) => ({
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
      let inserts: number | undefined;
      if (first === 0) {
        await command(`SYSTEM STOP MERGES ${database}.spans`);
        const unmerged = Math.min(UNMERGED_SPANS, spans);
        await fill(unmerged);
        inserts = unmerged / (used() / 1e6);
        await command(`SYSTEM START MERGES ${database}.spans`);
      }
      await fill(spans);
      // The first batch that is smaller has the indexes of those before it built.
      await store.apply({ content: CONTENT, batch: ++batch, removed: [], traces: [], spans: [] });
      const perSecond = (spans - first) / ((performance.now() - began - making / 1_000) / 1_000);
      const { parts: loaded } = await parts();
      const textMs = await ask(text);
      const figures = { perSecond, parts: { loaded, merged: (await merged()).parts }, textMs };
      return { ...figures, perCpuSecond: { inserts, all: (spans - first) / (used() / 1e6) } };
    };
    if (!kept.load) {
      kept.load = await load();
      writeFileSync(mark, JSON.stringify(kept));
    }
    const { bytes } = await parts();
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
    return { ...kept.load, spans, bytes, questions };
  } finally {
    await store.close();
    if (keep === undefined) rmSync(folder, { recursive: true, force: true });
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
    perCpuSecond.inserts?.toFixed(0) ?? '-',
    'inserts',
    `${perCpuSecond.all.toFixed(0)}`,
    'with merges',
  );
  row('bytes a span', (bytes / spans).toFixed(0));
  row('parts', String(parts.loaded), 'loaded', String(parts.merged), 'merged');
  row('text without a hit', textMs.toFixed(1), 'loaded, not merged');
  for (const { name, ms } of questions) row(name, ms.toFixed(1));
  goal('ClickHouse: inserts, spans a second of CPU', perCpuSecond.inserts, '>=', 50_000);
  goal('ClickHouse: bytes a span', bytes / spans, '<=', 1_200, { holdsAnywhere: true });
  for (const { name, ms, limit } of questions) goal(`ClickHouse: ${name}, ms`, ms, '<', limit);
}
