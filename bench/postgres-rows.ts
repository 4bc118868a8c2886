import { copiedSpansPerSecond } from './bare-copy.ts';
import { Caller } from './caller.ts';
import { startCloudServer } from './cloud-server.ts';
import { median, medianTurn, run, type Turn } from './load.ts';
import { openFilledPostgres } from './filled-postgres.ts';
import { countSpans, databaseBytes, INGEST_SPANS, sendSpans } from './postgres-database.ts';
import { spanOf } from './postgres-data.ts';
import type { Peer } from './process.ts';
import { proseOf } from './prose.ts';
import { goal, heading, row } from './report.ts';

const CONNECTIONS = 64;
/** Each question is asked so many times; the first is left out of the median, since it finds the caches cold. */
const TURNS = 6;
const WARM_UP_SECONDS = 2;
/** Texts that differ from span to span, since equal ones would flatter whatever compresses them. */
const TEXTS = 4_096;

interface PostgresFigures {
  /** Create and complete of a span: two requests. */
  pairs: Turn;
  /** What a span of 1.2 KB that was created and completed takes in the database. */
  bytesASpan: number;
  ingestPerSecond: number;
  copyPerSecond: number;
  /** The database that is asked. */
  filled: { bytes: number; perSecond: number; stored: number };
  answers: { name: string; firstMs: number; medianMs: number }[];
}

/**
 * The server in cloud mode on a Postgres of its own, which waits for the disk at every commit: writes into an empty
 * database, and questions to one with many spans.
 */
export async function measurePostgres(
  rounds: number,
  seconds: number,
  spans: number,
  keep: string | undefined,
): Promise<PostgresFigures> {
  const writes = await measureWrites(rounds, seconds);
  const { caller, stop, ...filled } = await openFilledPostgres(spans, keep);
  try {
    return { ...writes, filled, answers: await ask(caller) };
  } finally {
    await stop();
  }
}

async function measureWrites(rounds: number, seconds: number): Promise<Omit<PostgresFigures, 'filled' | 'answers'>> {
  const { databaseUrl: url, base, adminToken, peer, stop } = await startCloudServer();
  try {
    const caller = await Caller.withKey(base, adminToken);
    const empty = { bytes: await databaseBytes(url), spans: await countSpans(url) };
    const pairs = await measurePairs(caller, peer, rounds, seconds);
    const bytesASpan = ((await databaseBytes(url)) - empty.bytes) / ((await countSpans(url)) - empty.spans);
    return { pairs, bytesASpan, ...(await measureIngest(caller, url, rounds, seconds)) };
  } finally {
    await stop();
  }
}

/** Prints the figures and notes them against the goals. */
export function reportPostgres(figures: PostgresFigures, spans: number): void {
  const { pairs, answers, filled } = figures;
  heading('Postgres 18, fsync on, cloud mode');
  row(
    'create + complete',
    `${pairs.perSecond.toFixed(0)} req/s`,
    `p99 ${pairs.p99.toFixed(0)} ms`,
    `${pairs.failures} failures`,
  );
  row('a span on disk', `${figures.bytesASpan.toFixed(0)} bytes`);
  row('ingest of 500', `${figures.ingestPerSecond.toFixed(0)} spans/s`);
  row('COPY of the same rows', `${figures.copyPerSecond.toFixed(0)} spans/s`);
  heading(`Postgres, ${spans} spans over 30 days, events of some seconds`);
  row('on disk', `${(filled.bytes / 1_048_576).toFixed(0)} MB`, `${(filled.bytes / spans).toFixed(0)} a span`);
  row('filled by ingests at', `${filled.perSecond.toFixed(0)} spans/s`, `${filled.stored} stored of ${spans}`);
  row('', 'median ms', 'first ms');
  for (const { name, medianMs, firstMs } of answers) row(name, medianMs.toFixed(1), firstMs.toFixed(1));
  const slowest = (prefix: string, of: 'medianMs' | 'firstMs' = 'medianMs'): number =>
    Math.max(...answers.filter(({ name }) => name.startsWith(prefix)).map((answer) => answer[of]));
  goal('Postgres ingest rate / COPY', figures.ingestPerSecond / figures.copyPerSecond, '>=', 0.6);
  goal('Postgres create+complete p99 ms', pairs.p99, '<', 50);
  goal('Postgres bytes on disk a span of 1.2 KB', figures.bytesASpan, '<=', 2_500, { holdsAnywhere: true });
  goal('Postgres slowest list, ms', slowest('list'), '<', 20);
  goal('Postgres list by duration, ms', slowest('list, sorted by duration'), '<', 20);
  goal('Postgres slowest list when first asked for, ms', slowest('list', 'firstMs'), '<=', 100);
  goal('Postgres text search without a hit, ms', slowest('text search, none'), '<', 1_000);
  goal('Postgres summary, ms', slowest('summary'), '<', 10);
}

async function measurePairs(caller: Caller, peer: Peer, rounds: number, seconds: number): Promise<Turn> {
  const { id } = await caller.post<{ id: string }>('/api/traces', {});
  const kind = { type: 'llm_call', model: 'gpt-4o', provider: 'openai' };
  const creates = Array.from({ length: TEXTS }, (_, n) => {
    const input = [{ role: 'user', content: proseOf(n, 1_000) }];
    return JSON.stringify({ trace_id: id, name: 'chat', kind, input }).slice(1);
  });
  const counted = { ...kind, input_tokens: 120, output_tokens: 80 };
  const completes = creates.map((_, n) => JSON.stringify({ output: proseOf(TEXTS + n, 300), kind: counted }));
  let spans = 0;
  const turn = (duration: number): Promise<Turn> =>
    run(
      {
        url: caller.base,
        headers: caller.headers,
        requests: [
          {
            method: 'POST',
            path: '/api/spans',
            setupRequest: (request, context) => {
              const n = spans++;
              Object.assign(context, { n });
              return { ...request, body: `{"id":"pair-${n}",${creates[n % TEXTS]}` };
            },
          },
          {
            method: 'POST',
            setupRequest: (request, context) => {
              const { n } = context as { n: number };
              return { ...request, path: `/api/spans/pair-${n}/complete`, body: completes[n % TEXTS]! };
            },
          },
        ],
        connections: CONNECTIONS,
        seconds: duration,
      },
      peer,
    );
  await turn(WARM_UP_SECONDS);
  const turns: Turn[] = [];
  for (let round = 0; round < rounds; round++) turns.push(await turn(seconds));
  return medianTurn(turns);
}

/** Two requests on the way, in turns with the bare copy. */
async function measureIngest(caller: Caller, url: string, rounds: number, seconds: number) {
  const own: number[] = [];
  const bare: number[] = [];
  for (let round = -1; round < rounds; round++) {
    const now = Date.now();
    const began = performance.now();
    const until = began + (round === -1 ? WARM_UP_SECONDS : seconds) * 1_000;
    // Spans of today, distinguished by their numbers, which come after those of the rounds before.
    const first = (round + 2) * 100_000;
    const of = (n: number): object => ({
      ...spanOf(n, Number.MAX_SAFE_INTEGER, now),
      id: `today-${n}`,
      started_at: new Date(now + (n % 60_000)).toISOString(),
      ended_at: null,
    });
    const sent = await sendSpans(caller, (n) => (performance.now() < until ? first + n : undefined), of);
    if (round === -1) continue;
    own.push(sent / ((performance.now() - began) / 1000));
    bare.push(await copiedSpansPerSecond(url, INGEST_SPANS));
  }
  return { ingestPerSecond: median(own), copyPerSecond: median(bare) };
}

async function ask(caller: Caller): Promise<PostgresFigures['answers']> {
  const questions: [name: string, path: string][] = [
    ['list, newest', '/api/spans'],
    ['list, model common', '/api/spans?model=gpt-4o'],
    ['list, model rare', '/api/spans?model=rare-model'],
    ['list, failed', '/api/spans?status=failed'],
    ['list, tokens_min', '/api/spans?tokens_min=4000'],
    ['list, duration_min', '/api/spans?duration_min=4000'],
    ['list, name', '/api/spans?name_contains=step%2039'],
    ['list, last hour', `/api/spans?since=${encodeURIComponent(new Date(Date.now() - 3_600_000).toISOString())}`],
    ['list, sorted by duration', '/api/spans?sort_by=duration'],
    ['list, sorted by duration, asc', '/api/spans?sort_by=duration&sort_order=asc'],
    ['list, sorted by tokens', '/api/spans?sort_by=tokens'],
    ['list, sorted by cost', '/api/spans?sort_by=cost'],
    ['list, sorted by name', '/api/spans?sort_by=name'],
    ['list, sorted by start, asc', '/api/spans?sort_by=started_at&sort_order=asc'],
    ['traces, newest', '/api/traces'],
    ['text search, common', '/api/spans?text_contains=customer'],
    ['text search, none', '/api/spans?text_contains=zebra'],
    ['summary', '/api/analytics/summary'],
  ];
  const answers: PostgresFigures['answers'] = [];
  for (const [name, path] of questions) {
    const millis: number[] = [];
    for (let turn = 0; turn < TURNS; turn++) {
      const began = performance.now();
      await caller.get(path);
      millis.push(performance.now() - began);
    }
    answers.push({ name, firstMs: millis[0]!, medianMs: median(millis.slice(1)) });
  }
  return answers;
}
