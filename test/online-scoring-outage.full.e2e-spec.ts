/**
 * Scoring rules of the started program while their provider hangs for ten minutes of its clock: 5,000 spans, kill -9 twice, on
 * Postgres by two instances.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  isInSample,
  sampleHash,
  type ScoreResource,
  type ScoringExplanation,
  type ScoringRuleResource,
} from '@spandrel/contract';
import { said, startScriptedProvider, type ScriptedProvider } from './evals/scripted-provider.ts';
import { describeOnBothDatabases } from './support/databases.ts';
import type { Place, Program } from './support/places.ts';
import { FastClock } from './support/fast-clock.ts';
import { freePorts } from './support/ports.ts';
import { random } from './support/random.ts';
import { tempDir, until } from './support/spandrel.ts';

const TRACES = 5_000;
const ASKED = 300;
const RATES = { held: 0.1, free: 0.02, capped: 0.05 };
const OUTAGE_MS = 600_000;
/** How fast the outage passes. */
const FACTOR = 20;
const VERDICT = '{"score": 0.5, "reason": "so so"}';
/** What an answer of the judge costs, in dollars: 3 and 2 tokens of gpt-4o. */
const COST = 0.0000275;

describeOnBothDatabases('scoring rules whose provider hangs', ({ takePlace }) => {
  let place: Place;
  let programs: Program[] = [];
  let good: ScriptedProvider;
  let hasRecovered = false;
  const waiting = new Set<ServerResponse>();
  const clock = new FastClock();
  const answer = (response: ServerResponse): void => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(said(VERDICT).body));
  };
  const hung = createServer((request, response) => {
    request.resume();
    if (hasRecovered) answer(response);
    else waiting.add(response);
  });
  let ports: number[] = [];

  beforeAll(async () => {
    good = await startScriptedProvider(() => said(VERDICT));
    await new Promise<void>((resolve) => hung.listen(0, '127.0.0.1', resolve));
    place = await takePlace();
    ports = place.mode === 'cloud' ? await freePorts(2) : await freePorts(1);
    programs = await startAll();
  });
  afterAll(async () => {
    await place?.close();
    await good?.close();
    hung.closeAllConnections();
    hung.close();
  });

  const startAll = (): Promise<Program[]> => {
    const config = join(tempDir(), 'scoring.yaml');
    writeFileSync(config, "connections: { allow_private: ['127.0.0.1'] }\n");
    const env = { SPANDREL_CONFIG: config, ...clock.env };
    return Promise.all(ports.map((port) => place.start({ command: 'server', port, env })));
  };
  const api = (): Program['api'] => programs[0]!.api;
  const newRule = async (url: string, rule: object): Promise<ScoringRuleResource> => {
    const connection = await api().post<{ id: string }>('/api/provider-connections', {
      ...{ name: 'judge', provider: 'openai', api_key: 'sk-x', base_url: `${url}/v1`, default_model: 'gpt-4o' },
    });
    const made = await api().post<ScoringRuleResource>('/api/scoring-rules', {
      ...{ name: 'rule', scoring: 'LlmJudge', cohort: 'all', judge: { connection_id: connection.body.id }, ...rule },
    });
    expect([made.status, made.body]).toEqual([201, expect.anything()]);
    return made.body;
  };
  const scoresOf = async ({ id }: ScoringRuleResource): Promise<ScoreResource[]> =>
    (await api().get<{ scores: ScoreResource[] }>(`/api/scores?rule_id=${id}&limit=1000`)).body.scores;
  const readRule = async ({ id }: ScoringRuleResource) =>
    (await api().get<ScoringRuleResource>(`/api/scoring-rules/${id}`)).body;
  const ingest = async (from: number, to: number): Promise<void> => {
    const now = new Date().toISOString();
    const ids = Array.from({ length: to - from }, (_, n) => `t${from + n}`);
    const { body } = await programs[(from / 1_000) % programs.length]!.api.post<{ rejected: unknown[] }>(
      '/api/ingest',
      {
        traces: ids.map((id) => ({ id })),
        spans: ids.map((id) => ({
          ...{
            id: `${id}-span`,
            trace_id: id,
            name: 'call',
            input: 'Who?',
            output: 'Ada.',
            started_at: now,
            ended_at: now,
          },
        })),
      },
    );
    expect(body.rejected).toEqual([]);
  };

  it('score each sampled trace exactly once after it, hold up no other rule, and keep budgets', async () => {
    const { port } = hung.address() as AddressInfo;
    const held = await newRule(`http://127.0.0.1:${port}`, { sample_rate: RATES.held });
    const free = await newRule(good.url, { sample_rate: RATES.free });
    const capped = await newRule(good.url, { sample_rate: RATES.capped, max_cost_usd_per_day: COST * 5.5 });
    const sampled = (rate: number): string[] =>
      Array.from({ length: TRACES }, (_, n) => `t${n}`).filter((id) => isInSample(sampleHash('all', id), rate));
    const next = random(7);
    const explains = async (
      { id: ruleId, sample_rate: rate }: ScoringRuleResource,
      whenTaken: string,
      count: number,
    ) => {
      const taken = sampled(rate);
      for (let n = 0; n < count; n++) {
        // Every other one of the sample.
        const id = n % 2 === 0 ? taken[next(taken.length)]! : `t${next(TRACES)}`;
        const path = `/api/scoring-rules/${ruleId}/explain?span_id=${id}-span`;
        const { body } = await programs[n % programs.length]!.api.get<ScoringExplanation>(path);
        const isTaken = isInSample(sampleHash('all', id), rate);
        expect([id, body.decision]).toEqual([id, isTaken ? whenTaken : 'sampled_out']);
      }
    };

    const began = clock.now();
    for (const [from, to] of [
      [0, 1_000],
      [1_000, 4_000],
    ] as const) {
      await ingest(from, to);
      await until(() => waiting.size > 0, 20_000);
      waiting.clear();
      await Promise.all(programs.map((program) => program.stop('SIGKILL')));
      programs = await startAll();
    }
    await ingest(4_000, TRACES);
    // The provider that hangs holds up its own rule alone.
    await until(async () => (await scoresOf(free)).length === sampled(RATES.free).length, 60_000);
    expect(await scoresOf(held)).toEqual([]);
    await until(async () => (await readRule(capped)).state.pending === 0, 60_000);
    await explains(held, 'pending', ASKED / 3);
    clock.run(FACTOR);
    await until(() => clock.now() - began > OUTAGE_MS, 60_000);
    // A database that answers late on a busy machine would be given up twenty times as soon.
    clock.run(1);
    expect(await readRule(held)).toMatchObject({ failed_count: 0, state: { pending: sampled(RATES.held).length } });
    await explains(held, 'pending', ASKED / 3);

    hasRecovered = true;
    await until(async () => (await readRule(held)).state.lag_s === 0, 60_000);
    await until(async () => (await scoresOf(held)).length === sampled(RATES.held).length, 60_000);
    for (const [rule, rate] of [
      [held, RATES.held],
      [free, RATES.free],
    ] as const) {
      const scores = await scoresOf(rule);
      expect(scores.map(({ trace_id: id }) => id).sort()).toEqual(sampled(rate).sort());
      expect(scores.filter(({ revisions }) => revisions.length > 0)).toEqual([]);
      expect(await readRule(rule)).toMatchObject({
        ...{ scored_count: scores.length, failed_count: 0, skipped_count: 0 },
        state: { matched: TRACES, sampled: scores.length, scored: scores.length, pending: 0, lag_s: 0 },
      });
      await explains(rule, 'scored', ASKED / 2);
    }
    const { scored_count: scored, skipped_count: skipped, spent_today: spent } = await readRule(capped);
    expect([scored, skipped]).toEqual([5, sampled(RATES.capped).length - 5]);
    expect(spent).toBeLessThanOrEqual(COST * 5.5);
  }, 400_000);
});
