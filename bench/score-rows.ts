import { resolve } from 'node:path';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { said } from '../test/evals/scripted-provider.ts';
import { freePorts } from '../test/support/ports.ts';
import { random } from '../test/support/random.ts';
import { Caller } from './caller.ts';
import { START_MS_MAX, type FilledDatabase } from './filled-database.ts';
import { openFilledPostgres } from './filled-postgres.ts';
import { median } from './load.ts';
import { startPeer } from './process.ts';
import { spanId } from './query-data.ts';
import { goal, heading, row } from './report.ts';

/** Each question is asked so many times; the first time is left out, since it finds the caches cold. */
const TURNS = 6;
/** Scores or spans of one request. */
const BATCH = 1_000;
/** Scores of each name, for a million spans. */
const SHARES = { quality: 0.2, far: 0.05, helpful: 0.04, early: 0.01 };
/** Requests by which the write of spans is measured, before scores are written and after. */
const WRITES = 30;
/** Rounds in which spans are written without a rule, and with each, in turns; requests of a round, spans of each. */
const RULE_ROUNDS = 4;
/** They take longer than an answer of the judge: a round begins with all places taken at once, and then they are taken one by one. */
const RULE_WRITES = 400;
const RULE_BATCH = 50;
/** A judge answers after this and as long again at most. */
const JUDGE_MS = 500;

export interface ScoreFigures {
  database: 'SQLite' | 'Postgres';
  scores: number;
  /** Scores that ingests write a second. */
  perSecond: number;
  filters: { name: string; spansMs: number; tracesMs: number }[];
  /** Spans that ingests write a second while no span has a score, and while all these have some. */
  spansWithout: number;
  spansWith: number;
  /** Milliseconds of ingests by what is done with what they bring. */
  rules: Record<RuleState, WriteTimes>;
}

/**
 * No rule; a capture rule that takes a tenth of the spans; a scoring rule that judges a tenth of the traces; the same while
 * the judge's provider answers nothing at all.
 */
const RULE_STATES = ['off', 'capture', 'scoring', 'hanging'] as const;
type RuleState = (typeof RULE_STATES)[number];

interface WriteTimes {
  medianMs: number;
  p99Ms: number;
}

const FILTERS = [
  ['no filter', 'limit=50'],
  ['half of many', 'score=quality<0.5'],
  ['one in fifty', 'score=quality<0.02'],
  ['as many as are looked up', `score=quality<0.0045`],
  ['some hundred', 'score=quality<0.001'],
  ['none', 'score=quality<0'],
  ['a label that many have', 'score=helpful:yes'],
  ['a label that few have', 'score=helpful:rare'],
  ['two names', 'score=quality>0.5&score=helpful:yes'],
  ['with failed alone', 'score=quality<0.5&status=failed'],
  ['many, all of them early', 'score=early>0'],
  ['oldest first', 'score=early>0&sort_order=asc'],
  ['two names, one early', 'score=quality<0.5&score=early>0'],
  ['behind all others', 'score=far>0'],
  ['sorted, highest first', 'sort_by=score:quality'],
  ['sorted, lowest first', 'sort_by=score:quality&sort_order=asc'],
  ['sorted and filtered', 'sort_by=score:quality&score=helpful:yes'],
] as const;

/** Filters by score with many spans, and what scores and rules cost the writes; on SQLite. */
export async function measureScores(spans: number, { dataDir }: FilledDatabase): Promise<ScoreFigures> {
  const [port] = await freePorts(1);
  const args = [resolve('dist/apps/server/src/main.js'), '--port', String(port), '--data-dir', dataDir];
  const peer = await startPeer(process.execPath, args, [port!], {}, START_MS_MAX);
  try {
    const caller = Caller.of(`http://127.0.0.1:${port}`, '');
    return { database: 'SQLite', ...(await measure(caller, spans)) };
  } finally {
    await peer.stop();
  }
}

/** Filters by score with many spans, and what scores and rules cost the writes; on Postgres. */
export async function measurePostgresScores(spans: number, keep: string | undefined): Promise<ScoreFigures> {
  const { caller, stop } = await openFilledPostgres(spans, keep);
  try {
    return { database: 'Postgres', ...(await measure(caller, spans)) };
  } finally {
    await stop();
  }
}

async function measure(caller: Caller, spans: number) {
  const spansWithout = await writeSpans(caller, 'without');
  const below = random(11);
  const scores = [...scoresOf(spans, below)];
  const began = performance.now();
  for (let at = 0; at < scores.length; at += BATCH) await ingest(caller, { scores: scores.slice(at, at + BATCH) });
  const perSecond = scores.length / ((performance.now() - began) / 1_000);
  const filters: ScoreFigures['filters'] = [];
  for (const [name, query] of FILTERS) {
    const [spansMs, tracesMs] = [
      await timed(caller, `/api/spans?${query}`),
      await timed(caller, `/api/traces?${query}`),
    ];
    filters.push({ name, spansMs, tracesMs });
  }
  const spansWith = await writeSpans(caller, 'with');
  return { scores: scores.length, perSecond, filters, spansWithout, spansWith, rules: await measureRules(caller) };
}

function* scoresOf(spans: number, below: (n: number) => number): Generator<object> {
  for (let n = 0; n < spans * SHARES.quality; n++)
    yield {
      id: `q${n}`,
      name: 'quality',
      value: below(1_000_000) / 1e6,
      span_id: spanId(Math.floor(n / SHARES.quality)),
    };
  for (let n = 0; n < spans * SHARES.helpful; n++) {
    const label = n % 1_000 === 0 ? 'rare' : n % 2 === 0 ? 'yes' : 'no';
    yield { id: `h${n}`, name: 'helpful', label, span_id: spanId(Math.floor(n / SHARES.helpful)) };
  }
  // The oldest tenth alone has the value that is asked for: in list order it lies behind all others of the name.
  for (let n = 0; n < spans * SHARES.far; n++)
    yield {
      ...{ id: `f${n}`, name: 'far', span_id: spanId(Math.floor(n / SHARES.far)) },
      value: n < spans * SHARES.far * 0.1 ? 1 : 0,
    };
  for (let n = 0; n < spans * SHARES.early; n++) yield { id: `e${n}`, name: 'early', value: 1, span_id: spanId(n) };
}

/** Spans a second, of ingests one after the other. */
async function writeSpans(caller: Caller, name: string): Promise<number> {
  const millis: number[] = [];
  for (let request = 0; request < WRITES; request++) {
    const trace = `${name}-${Date.now()}-${request}`;
    const spans = Array.from({ length: BATCH }, (_, n) => spanIn(trace, n));
    const began = performance.now();
    await ingest(caller, { traces: [{ id: trace }], spans });
    millis.push(performance.now() - began);
  }
  return BATCH / (median(millis) / 1_000);
}

/** What rules cost the writes of spans: all in one run, in turns. What has yet to be judged waits while a rule is off. */
async function measureRules(caller: Caller): Promise<Record<RuleState, WriteTimes>> {
  const { body } = said('{"score": 1, "reason": "x"}');
  const below = random(12);
  // It answers about as soon as a model does: an instant one would have the server judge 100 times as much as it ever does.
  const provider = createServer((request, response) => {
    request.resume();
    if (request.url!.startsWith('/hanging')) return;
    setTimeout(() => response.end(JSON.stringify(body)), JUDGE_MS * (1 + below(1_000) / 1_000));
  });
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
  try {
    const paths = { capture: await captureRule(caller) } as Record<Exclude<RuleState, 'off'>, string>;
    for (const name of ['scoring', 'hanging'] as const)
      paths[name] = await scoringRule(caller, name, `${url}/${name}/v1`);
    const millis = new Map<RuleState, number[]>(RULE_STATES.map((state) => [state, []]));
    for (let round = 0; round < RULE_ROUNDS; round++) {
      for (const state of round % 2 === 0 ? RULE_STATES : RULE_STATES.toReversed()) {
        for (const [name, path] of Object.entries(paths)) await caller.put(path, { enabled: name === state });
        for (let request = 0; request < RULE_WRITES; request++) {
          const trace = `${state}-${Date.now()}-${request}`;
          const spans = Array.from({ length: RULE_BATCH }, (_, n) => spanIn(trace, n));
          const began = performance.now();
          await ingest(caller, { traces: [{ id: trace }], spans });
          millis.get(state)!.push(performance.now() - began);
        }
      }
    }
    return Object.fromEntries([...millis].map(([state, of]) => [state, timesOf(of)])) as Record<RuleState, WriteTimes>;
  } finally {
    provider.closeAllConnections();
    provider.close();
  }
}

/** Makes a disabled rule that takes a tenth of the spans into a dataset; its path. */
async function captureRule(caller: Caller): Promise<string> {
  const dataset = await caller.post<{ id: string }>('/api/datasets', { name: 'captured' });
  const rule = { name: 'captured', sample_rate: 0.1, enabled: false };
  const path = `/api/datasets/${dataset.id}/capture-rules`;
  return `${path}/${(await caller.post<{ id: string }>(path, rule)).id}`;
}

/** Makes a disabled rule that has a tenth of the traces judged at `base_url`; its path. */
async function scoringRule(caller: Caller, name: string, base_url: string): Promise<string> {
  const connection = await caller.post<{ id: string }>('/api/provider-connections', {
    ...{ name, provider: 'openai', api_key: 'sk-x', base_url, default_model: 'gpt-4o' },
  });
  const judge = { connection_id: connection.id };
  const rule = { name, scoring: 'LlmJudge', judge, sample_rate: 0.1, enabled: false };
  return `/api/scoring-rules/${(await caller.post<{ id: string }>('/api/scoring-rules', rule)).id}`;
}

const timesOf = (millis: number[]): WriteTimes => ({
  medianMs: median([...millis]),
  p99Ms: millis.toSorted((a, b) => a - b)[Math.floor(millis.length * 0.99)]!,
});

const spanIn = (trace: string, n: number) => ({
  ...{ id: `${trace}-${n}`, trace_id: trace, name: 'step', input: 'a question', output: 'an answer' },
  ...{ ended_at: new Date().toISOString(), kind: { type: 'llm_call', model: 'gpt-4o', input_tokens: 20 } },
});

async function ingest(caller: Caller, body: object): Promise<void> {
  const { rejected } = (await caller.post('/api/ingest', body)) as { rejected: object[] };
  if (rejected.length > 0) throw new Error(`not ingested: ${JSON.stringify(rejected[0])}`);
}

async function timed(caller: Caller, path: string): Promise<number> {
  const millis: number[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const began = performance.now();
    await caller.get(path);
    millis.push(performance.now() - began);
  }
  return median(millis.slice(1));
}

/** Prints the figures and notes them against the goals. */
export function reportScores(figures: ScoreFigures, spans: number): void {
  const { database, scores, perSecond, filters, spansWithout, spansWith, rules } = figures;
  const plain = filters[0]!;
  heading(`Filters by score, ${database}, ${spans} spans, ${scores} scores`);
  row('scores written', `${perSecond.toFixed(0)} a second`);
  row('spans written without scores', `${spansWithout.toFixed(0)} a second`);
  row('spans written beside scores', `${spansWith.toFixed(0)} a second`);
  row('', 'spans ms', 'traces ms', '× plain', '× plain');
  for (const { name, spansMs, tracesMs } of filters)
    row(
      name,
      ...[spansMs, tracesMs, spansMs / plain.spansMs, tracesMs / plain.tracesMs].map((figure) => figure.toFixed(1)),
    );
  const slowest = Math.max(...filters.flatMap(({ spansMs, tracesMs }) => [spansMs, tracesMs]));
  goal(`spans written beside scores on ${database}, × without`, spansWith / spansWithout, '>=', 0.95);
  const { off, capture, scoring, hanging } = rules;
  row('ingest, by rule', 'median ms', 'p99 ms', '× off', '× off');
  for (const state of RULE_STATES) {
    const { medianMs, p99Ms } = rules[state];
    const figures = [medianMs, p99Ms, medianMs / off.medianMs, p99Ms / off.p99Ms];
    row(state, ...figures.map((figure) => figure.toFixed(2)));
  }
  const ofRule = `ingest with a judge at 10% on ${database}`;
  goal(`${ofRule}, median × with a capture rule`, scoring.medianMs / capture.medianMs, '<=', 1.05);
  goal(`${ofRule}, p99 × with a capture rule`, scoring.p99Ms / capture.p99Ms, '<=', 1.05);
  goal(`the same, its provider hanging, p99 × without`, hanging.p99Ms / off.p99Ms, '<=', 1.05);
  goal(`slowest list by score on ${database}, ms`, slowest, '<', 20);
}
