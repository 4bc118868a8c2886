import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { freePorts } from '../test/support/ports.ts';
import { START_MS_MAX, type FilledDatabase } from './filled-database.ts';
import { storage } from './libs.ts';
import { median } from './load.ts';
import { startPeer } from './process.ts';
import { HUGE_TRACE, spanId } from './query-data.ts';
import { SLICES_MADE, slicesMade } from './slices-made.ts';

/** Each question is asked so many times; the first time is distinguished, since it finds the caches cold. */
const TURNS = 6;
/** Milliseconds between the spans that are sent beside a search and an export. */
const BESIDE_MS = 5;
const DAY_MS = 86_400_000;

export interface QueryFigure {
  name: string;
  firstMs: number;
  medianMs: number;
  /** Items of the answer. */
  count: number;
}

export interface QueryFigures {
  lists: QueryFigure[];
  sorts: QueryFigure[];
  searchesWithHits: QueryFigure[];
  searchesWithout: QueryFigure[];
  analytics: QueryFigure[];
  /** Questions to analytics that read more than sums of a bucket: keys, histograms, minutes. */
  analyticsParts: QueryFigure[];
  /** `POST /api/spans` while a search without a hit and a full export run; milliseconds. */
  beside: { p99: number; spans: number; searches: number; exportedBytes: number };
}

/** Questions to the API with many spans in its SQLite database, one at a time. */
export async function measureQueries(spans: number, { dataDir, range }: FilledDatabase): Promise<QueryFigures> {
  const [port] = await freePorts(1);
  const args = [resolve('dist/apps/server/src/main.js'), '--port', String(port), '--data-dir', dataDir];
  const peer = await startPeer(process.execPath, args, [port!], {}, START_MS_MAX);
  try {
    const ask = new Asker(`http://127.0.0.1:${port}`);
    const db = new Database(join(dataDir, 'spandrel.db'), { readonly: true });
    await slicesMade(spans, async () => db.prepare(SLICES_MADE).pluck().get()).finally(() => db.close());
    return {
      lists: await ask.lists(filters(spans, range)),
      sorts: await ask.lists(sorts(spans, range)),
      searchesWithHits: await ask.lists([
        ['text_contains common', 'text_contains=customer'],
        ['input_contains common', 'input_contains=customer'],
        ['output_contains common', 'output_contains=customer'],
      ]),
      searchesWithout: await ask.lists([
        ['text_contains none', 'text_contains=zebra'],
        ['input_contains none', 'input_contains=zebra'],
        ['output_contains none', 'output_contains=zebra'],
      ]),
      analytics: [
        await ask.timed('summary', '/api/analytics/summary'),
        await ask.timed('time series by day', '/api/analytics', {}),
        await ask.timed('time series by hour', '/api/analytics', { group_by: 'hour' }),
        await ask.timed('time series, 7 days', '/api/analytics', { since: iso(range.to - 7 * DAY_MS + 12_345) }),
      ],
      analyticsParts: await ask.series(parts(range)),
      beside: await ask.beside(),
    };
  } finally {
    await peer.stop();
  }
}

interface Range {
  from: number;
  to: number;
}

type Question = readonly [name: string, query: string];

const iso = (ms: number): string => new Date(ms).toISOString();

/** Every filter with a value that many spans have, one that few have, and one that none has. */
function filters(spans: number, { from, to }: Range): Question[] {
  const middle = Math.floor(spans / 16) * 8;
  const values: Record<string, [common: string, rare: string, never: string]> = {
    trace_id: [HUGE_TRACE.id, `trace-${middle / 8}`, 'none'],
    kind: ['llm_call', 'rare-kind', 'none'],
    model: ['gpt-4o', 'rare-model', 'none'],
    provider: ['openai', 'rare-provider', 'none'],
    status: ['completed', 'failed', 'running'],
    since: [iso(to - 20 * DAY_MS), iso(to - 60_000), iso(to + DAY_MS)],
    until: [iso(to - 10 * DAY_MS), iso(from + 60_000), iso(from - DAY_MS)],
    name_contains: ['step', 'rare', 'zebra'],
    duration_min: ['1000', '3600000', '1000000000000'],
    duration_max: ['2000', '20', '1'],
    tokens_min: ['1000', '1000000', '1000000000000'],
    cost_min: ['0.005', '100', '1000000000'],
    session_id: ['busy-session', 'rare-session', 'none'],
    parent_id: [spanId(spans - 2 * HUGE_TRACE.spans), spanId(middle), 'none'],
    tag: ['prod', 'rare-tag', 'none'],
  };
  const questions = Object.entries(values).flatMap(([filter, of]) =>
    (['common', 'rare', 'none'] as const).map((name, index): Question => [
      `${filter} ${name}`,
      `${filter}=${encodeURIComponent(of[index]!)}`,
    ]),
  );
  return [['newest', ''], ...questions];
}

/** Every order: the first page, and one in the middle of the list. */
function sorts(spans: number, { from, to }: Range): Question[] {
  const middle = (from + to) / 2;
  const id = spanId(spans / 2);
  const deep = { started_at: middle, duration: 2_000, tokens: 2_000, cost: 0.005, name: 'step 2' };
  return Object.entries(deep).flatMap(([sort, value]) =>
    (['asc', 'desc'] as const).flatMap((order): Question[] => {
      const query = `sort_by=${sort}&sort_order=${order}`;
      const position = { value, id, ...(sort === 'name' && { tie: middle }) };
      const cursor = storage.encodeCursor(`spans:${sort}:${order}`, position);
      return [
        [`${sort} ${order}`, query],
        [`${sort} ${order}, deep`, `${query}&cursor=${cursor}`],
      ];
    }),
  );
}

/** Splits, percentiles and minutes. */
function parts({ to }: Range): [name: string, question: object][] {
  const day = { since: iso(to - DAY_MS + 12_345), until: iso(to + 12_345), group_by: 'minute' };
  return [
    ['by day, percentiles', { percentiles: true }],
    ['by hour, percentiles', { group_by: 'hour', percentiles: true }],
    ['by day, split by model, percentiles', { split_by: 'model', percentiles: true }],
    ['by hour, split by model', { group_by: 'hour', split_by: 'model' }],
    ['by minute, 24 hours', day],
    ['by minute, 24 hours, split by model, percentiles', { ...day, split_by: 'model', percentiles: true }],
  ];
}

class Asker {
  private readonly base: string;

  constructor(base: string) {
    this.base = base;
  }

  async lists(questions: readonly Question[]): Promise<QueryFigure[]> {
    const figures: QueryFigure[] = [];
    for (const [name, query] of questions) figures.push(await this.timed(name, `/api/spans?${query}`));
    return figures;
  }

  async series(questions: readonly [name: string, question: object][]): Promise<QueryFigure[]> {
    const figures: QueryFigure[] = [];
    for (const [name, question] of questions) figures.push(await this.timed(name, '/api/analytics', question));
    return figures;
  }

  /** @param body of a POST; a GET when left out. */
  async timed(name: string, path: string, body?: object): Promise<QueryFigure> {
    const millis: number[] = [];
    let count = 0;
    for (let turn = 0; turn < TURNS; turn++) {
      const started = performance.now();
      const answer = (await (await this.send(path, body)).json()) as { count?: number; buckets?: unknown[] };
      millis.push(performance.now() - started);
      count = answer.count ?? answer.buckets?.length ?? 0;
    }
    return { name, firstMs: millis[0]!, medianMs: median(millis.slice(1)), count };
  }

  /** Sends spans while a search without a hit is asked for again and again, for as long as a full export takes. */
  async beside(): Promise<QueryFigures['beside']> {
    const { id } = (await (await this.send('/api/traces', {})).json()) as { id: string };
    let going = true;
    let searches = 0;
    const millis: number[] = [];
    const searching = async (): Promise<void> => {
      for (; going; searches++) await (await this.send('/api/spans?text_contains=zebra')).text();
    };
    const writing = async (): Promise<void> => {
      while (going) {
        const started = performance.now();
        await (await this.send('/api/spans', { trace_id: id, name: 'beside', input: 'x' })).text();
        millis.push(performance.now() - started);
        await sleep(BESIDE_MS);
      }
    };
    const exporting = async (): Promise<number> => {
      let bytes = 0;
      for await (const chunk of (await this.send('/api/export/json')).body!) bytes += (chunk as Uint8Array).length;
      going = false;
      return bytes;
    };
    const [exportedBytes] = await Promise.all([exporting(), searching(), writing()]);
    const sorted = millis.toSorted((a, b) => a - b);
    return { p99: sorted[Math.floor(sorted.length * 0.99)]!, spans: sorted.length, searches, exportedBytes };
  }

  private async send(path: string, body?: object): Promise<Response> {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    const response = await fetch(this.base + path, body && init);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response;
  }
}
