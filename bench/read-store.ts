import { resolve } from 'node:path';
import { freePorts } from '../test/support/ports.ts';
import { Caller } from './caller.ts';
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

type Group = 'list' | 'text' | 'hours' | 'keys' | 'others';
type Asked = readonly [name: string, group: Group, path: string, body?: object];

/** What is asked of every store, with thirty days of spans in it. @param to when the last of them starts. */
function questionsOf(to: number): readonly Asked[] {
  const since = new Date(to - DAYS * DAY_MS + 12_345).toISOString();
  const filters = { since };
  const query = (group_by: string[], more: object = {}): readonly [string, object] => [
    '/api/analytics/query',
    { filters, group_by, ...more },
  ];
  return [
    ...(
      ['model=gpt-4o', 'model=rare-model', 'status=failed', 'kind=retrieval', 'user_id=user-7', 'tag=canary'] as const
    ).map((filter): Asked => [`spans, ${filter}`, 'list', `/api/spans?${filter}`]),
    ['traces, metadata.environment', 'list', '/api/traces?metadata.environment=env-7'],
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
    ['users, 30 days', 'others', `/api/users?since=${since}`],
    ['users, dearest of all time', 'others', '/api/users?sort_by=cost'],
  ];
}

/** Asks each question in turn. */
async function ask(caller: Pick<Caller, 'base' | 'headers'>, to: number): Promise<StoreFigures['questions']> {
  const figures: StoreFigures['questions'] = [];
  for (const [name, group, path, body] of questionsOf(to)) {
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

/** The questions to SQLite. @param keep a folder in which the database stays for later runs. */
export async function measureSqlite(spans: number, keep: string | undefined): Promise<StoreFigures> {
  const filled = await openFilled(spans, keep, 'read-store-sqlite', (url, count) => fill(Caller.of(url, ''), count));
  const [port] = await freePorts(1);
  const args = [resolve('dist/apps/server/src/main.js'), '--port', String(port), '--data-dir', filled.dataDir];
  const peer = await startPeer(process.execPath, args, [port!], {}, START_MS_MAX);
  try {
    const questions = await ask(Caller.of(`http://127.0.0.1:${port}`, ''), filled.range.to);
    return { store: 'SQLite', spans, bytes: filled.bytes, questions };
  } finally {
    await peer.stop();
  }
}

/** The questions to Postgres. */
export async function measurePostgres(spans: number, keep: string | undefined): Promise<StoreFigures> {
  const { caller, bytes, to, stop } = await openFilledPostgres(spans, keep, 'read-store-postgres', async (...of) => {
    await fill(...of);
  });
  try {
    return { store: 'Postgres', spans, bytes, questions: await ask(caller, to) };
  } finally {
    await stop();
  }
}

/** Prints what each store takes for each question. */
export function reportReadStore(figures: readonly StoreFigures[]): void {
  heading('Lists, searches and groups by store, medians in ms; – is refused as too large');
  row('', ...figures.map(({ store }) => store));
  row('spans', ...figures.map(({ spans }) => String(spans)));
  row('bytes a span', ...figures.map(({ bytes, spans }) => (bytes / spans).toFixed(0)));
  for (const [at, { name }] of figures[0]!.questions.entries())
    row(name, ...figures.map(({ questions }) => questions[at]!.ms?.toFixed(1) ?? '–'));
  for (const { store, questions } of figures) {
    const slowest = (group: Group): number =>
      Math.max(...questions.filter((question) => question.group === group).map(({ ms }) => ms ?? Infinity));
    goal(`${store}: slowest list with one filter, ms`, slowest('list'), '<', 25);
    goal(`${store}: text without a hit, ms`, slowest('text'), '<', 1_000);
    goal(`${store}: 30 days by hour and model, ms`, slowest('hours'), '<', 200);
    goal(`${store}: any two keys, ms`, slowest('keys'), '<', 5_000);
  }
}
