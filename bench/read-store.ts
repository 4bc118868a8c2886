import { resolve } from 'node:path';
import { freePorts } from '../test/support/ports.ts';
import { Caller } from './caller.ts';
import { recordLargeTrace } from './dashboard-data.ts';
import { openFilled, START_MS_MAX } from './filled-database.ts';
import { openFilledPostgres } from './filled-postgres.ts';
import { median } from './load.ts';
import { startPeer } from './process.ts';
import { DAYS, SpanMaker } from './read-store-data.ts';
import { goal, heading, row } from './report.ts';

/** Each question is asked so many times; the first time is left out, since it finds the caches cold. */
const TURNS = 4;
const REQUEST_SPANS = 2_000;
const DAY_MS = 86_400_000;

export interface StoreFigures {
  store: string;
  spans: number;
  bytes: number;
  /** Milliseconds; `null` where the question was refused as too large. */
  questions: { name: string; group: Group; ms: number | null }[];
}

type Group = 'list' | 'metadata' | 'text' | 'hours' | 'keys' | 'users' | 'graph';
type Asked = readonly [name: string, group: Group, path: string, body?: object];

/** A trace as large as those of which the agent graph is drawn. */
const GRAPH = { id: 'graph', spans: 10_000 };

/**
 * What is asked of every store, with thirty days of spans in it.
 * @param to when the last of them starts. @param wanted which of the questions; all when left out.
 */
function questionsOf(to: number, wanted: string | undefined): readonly Asked[] {
  const since = new Date(to - DAYS * DAY_MS + 12_345).toISOString();
  const filters = { since };
  const query = (group_by: string[], more: object = {}): readonly [string, object] => [
    '/api/analytics/query',
    { filters, group_by, ...more },
  ];
  const all: Asked[] = [
    ...(
      ['model=gpt-4o', 'model=rare-model', 'status=failed', 'kind=retrieval', 'user_id=user-7', 'tag=canary'] as const
    ).map((filter): Asked => [`spans, ${filter}`, 'list', `/api/spans?${filter}`]),
    ['traces, metadata.environment', 'metadata', '/api/traces?metadata.environment=env-7'],
    ['spans, dearest', 'list', '/api/spans?sort_by=cost'],
    ['text without a hit', 'text', '/api/spans?text_contains=zebra'],
    ['30 days by hour and model', 'hours', ...query(['model'], { bucket: 'hour' })],
    ['by model and status', 'keys', ...query(['model', 'status'])],
    ['by kind and name', 'keys', ...query(['kind', 'name'])],
    ['by user and model', 'keys', ...query(['user', 'model'])],
    ['by tag and metadata', 'keys', ...query(['tag', 'metadata.team'])],
    [
      'by model, percentiles, failed',
      'keys',
      ...query(['model'], { percentiles: true, filters: { since, status: 'failed' } }),
    ],
    ['by model, time to first token', 'keys', ...query(['model'], { first_token: true })],
    ['users, 30 days', 'users', `/api/users?since=${since}`],
    ['users, dearest of all time', 'users', '/api/users?sort_by=cost'],
    ['spans of an agent graph', 'graph', `/api/traces/${GRAPH.id}?view=outline`],
  ];
  return all.filter(([name]) => new RegExp(wanted ?? '').test(name));
}

/** Asks each question in turn. */
async function ask(caller: Caller, to: number, wanted: string | undefined): Promise<StoreFigures['questions']> {
  const figures: StoreFigures['questions'] = [];
  const { ok } = await fetch(`${caller.base}/api/traces/${GRAPH.id}?view=outline`, { headers: caller.headers });
  if (!ok) await recordLargeTrace(caller, GRAPH.id, GRAPH.spans);
  for (const [name, group, path, body] of questionsOf(to, wanted)) {
    const millis: number[] = [];
    let isRefused = false;
    for (let turn = 0; turn < TURNS && !isRefused; turn++) {
      const began = performance.now();
      const { headers } = caller;
      const init = body === undefined ? { headers } : { method: 'POST', headers, body: JSON.stringify(body) };
      const response = await fetch(caller.base + path, init);
      const text = await response.text();
      isRefused = response.status === 422;
      if (!response.ok && !isRefused) throw new Error(`${path}: ${response.status} ${text}`);
      millis.push(performance.now() - began);
    }
    figures.push({ name, group, ms: isRefused ? null : median(millis.slice(1)) });
  }
  return figures;
}

async function fill(caller: Caller, count: number, to = Math.floor(Date.now() / 1_000) * 1_000) {
  const maker = new SpanMaker(count, to);
  let next = 0;
  const send = async (): Promise<void> => {
    while (next < count) {
      const first = next;
      next = Math.min(count, first + REQUEST_SPANS);
      const body = JSON.stringify(maker.ingest(first, next));
      const response = await fetch(`${caller.base}/api/ingest`, { method: 'POST', headers: caller.headers, body });
      const { rejected } = (await response.json()) as { rejected?: object[] };
      if (!response.ok || rejected?.length !== 0) throw new Error(`not ingested: ${JSON.stringify(rejected?.[0])}`);
    }
  };
  await Promise.all([send(), send()]);
  return { from: to - DAYS * DAY_MS, to };
}

/**
 * The questions to SQLite.
 * @param keep a folder in which the database stays for later runs. @param wanted which questions, as a regular expression.
 */
export async function measureSqlite(spans: number, keep?: string, wanted?: string): Promise<StoreFigures> {
  const filled = await openFilled(spans, keep, 'read-store-sqlite', (url, count) => fill(Caller.of(url, ''), count));
  const [port] = await freePorts(1);
  const args = [resolve('dist/apps/server/src/main.js'), '--port', String(port), '--data-dir', filled.dataDir];
  const peer = await startPeer(process.execPath, args, [port!], {}, START_MS_MAX);
  try {
    const questions = await ask(Caller.of(`http://127.0.0.1:${port}`, ''), filled.range.to, wanted);
    return { store: 'SQLite', spans, bytes: filled.bytes, questions };
  } finally {
    await peer.stop();
  }
}

/** The questions to Postgres. @param keep and @param wanted as for SQLite. */
export async function measurePostgres(spans: number, keep?: string, wanted?: string): Promise<StoreFigures> {
  const { caller, bytes, to, stop } = await openFilledPostgres(spans, keep, 'read-store-postgres', async (...of) => {
    await fill(...of);
  });
  try {
    return { store: 'Postgres', spans, bytes, questions: await ask(caller, to, wanted) };
  } finally {
    await stop();
  }
}

const GOALS: readonly (readonly [group: Group, name: string, limit: number])[] = [
  ['list', 'slowest list with one filter', 25],
  ['metadata', 'metadata filter on an indexed key', 20],
  ['text', 'text without a hit', 1_000],
  ['hours', '30 days by hour and model', 200],
  ['keys', 'any two keys', 5_000],
  ['users', 'cost by user', 50],
  ['graph', 'spans of an agent graph', 1_000],
];

/** Prints what each store takes for each question. */
export function reportReadStore(figures: readonly StoreFigures[]): void {
  heading('Lists, searches and groups by store, medians in ms; – is refused as too large');
  row('', ...figures.map(({ store }) => store));
  row('spans', ...figures.map(({ spans }) => String(spans)));
  row('bytes a span', ...figures.map(({ bytes, spans }) => (bytes / spans).toFixed(0)));
  for (const [at, { name }] of figures[0]!.questions.entries())
    row(name, ...figures.map(({ questions }) => questions[at]!.ms?.toFixed(1) ?? '–'));
  for (const { store, questions } of figures) {
    for (const [group, name, limit] of GOALS) {
      const asked = questions.filter((question) => question.group === group);
      if (asked.length > 0)
        goal(`${store}: ${name}, ms`, Math.max(...asked.map(({ ms }) => ms ?? Infinity)), '<', limit);
    }
  }
}
