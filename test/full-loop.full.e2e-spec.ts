/**
 * The whole loop on both databases: real clients through the gateway, a capture rule that fills a dataset, runs with
 * every scoring against a provider that fails in many ways, a comparison, and a review whose edits are applied.
 */
import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type {
  CaptureRuleResource,
  DatapointResource,
  EvalComparison,
  EvalRunResource,
  QueueItemResource,
} from '@spandrel/contract';
import OpenAI from 'openai';
import { EventClient } from './events/event-client.ts';
import { startFakeProvider, type FakeProvider } from './fake-provider/start-fake-provider.ts';
import type { Api } from './support/api.ts';
import type { Place } from './support/places.ts';
import { until } from './support/spandrel.ts';
import { POSTGRES, SQLITE } from './support/databases.ts';

/** What the captured conversations say, and what the provider does when a run sends them. */
const SAID = {
  plain: 'When is high water?',
  limited: 'fake:error-429+times:1 The first try is over the limit.',
  broken: 'fake:error-500 Both tries fail.',
  hung: 'fake:hang No answer ever comes.',
  trash: 'fake:garbage The answer is no JSON.',
} as const;
type Said = keyof typeof SAID;
const ALL = Object.keys(SAID) as Said[];

/** Where a loop runs, and clients of its events. */
interface Stage {
  place: Place;
  api: Api;
  gatewayUrl: string;
  /** Wants all events. */
  events: EventClient;
  /** Wants the ends of runs alone. */
  completed: EventClient;
  /** Wants only what never happens here. */
  quiet: EventClient;
  quietSince: number;
}

/** What the loop found. */
interface Loop {
  stage: Stage;
  captured: DatapointResource[];
  rule: CaptureRuleResource;
  runs: Record<'ExactMatch' | 'Contains' | 'LlmJudge' | 'None', EvalRunResource>;
  comparison: EvalComparison;
  reviewed: QueueItemResource;
  edited: DatapointResource;
  rerun: EvalRunResource;
  /** Status of everything that belonged to the dataset, after its deletion. */
  afterDeletion: number[];
}

let provider: FakeProvider;
const places: Place[] = [];
const loops = new Map<string, Promise<Loop>>();

beforeAll(async () => {
  provider = await startFakeProvider();
  // Both wait for the same minute that a hanging call takes.
  await Promise.all(
    [SQLITE, POSTGRES].map(async ({ name, takePlace }) => {
      const place = await takePlace();
      places.push(place);
      const loop = goThrough(await setUp(place));
      // Given by the test that awaits it.
      loop.catch(() => undefined);
      loops.set(name, loop);
    }),
  );
});

afterAll(async () => {
  await Promise.all(places.map((place) => place.close()));
  await provider?.close();
});

async function setUp(place: Place): Promise<Stage> {
  const urls = { SPANDREL_OPENAI_BASE_URL: provider.url, SPANDREL_ANTHROPIC_BASE_URL: provider.url };
  const { api, apiUrl, gatewayUrl } = await place.start({ env: urls });
  const listen = (query: string) => EventClient.open(apiUrl, { query, headers: place.headers });
  const events = await listen('');
  const completed = await listen('types=eval_completed');
  const quietSince = Date.now();
  const quiet = await listen('types=cleared');
  return { place, api, gatewayUrl, events, completed, quiet, quietSince };
}

for (const { name } of [SQLITE, POSTGRES]) {
  describe(`the whole loop, on ${name}`, () => {
    const loop = (): Promise<Loop> => loops.get(name)!;
    const itemOf = (run: EvalRunResource, said: Said) =>
      run.result_items.find(({ input }) => (input as { content: string }[]).at(-1)!.content === SAID[said])!;

    it('captures what was recorded, once each', async () => {
      const { captured, rule } = await loop();
      expect(captured.map(({ kind }) => kind)).toEqual(
        expect.arrayContaining(
          ALL.map((said) => ({
            LlmConversation: {
              messages: [{ role: 'user', content: SAID[said] }],
              expected: `You said: ${SAID[said]}`,
              metadata: null,
            },
          })),
        ),
      );
      expect(captured).toHaveLength(ALL.length);
      expect(new Set(captured.map(({ source_span_id: id }) => id)).size).toBe(ALL.length);
      expect(rule.captured_count).toBe(ALL.length);
    });

    it('evaluates with every scoring; failures cost their items only', async () => {
      const { runs } = await loop();
      for (const [scoring, good] of [
        ['ExactMatch', 1],
        ['Contains', 1],
        ['LlmJudge', 0.25],
        ['None', null],
      ] as const) {
        const run = runs[scoring];
        expect(run).toMatchObject({ status: 'completed', total: 5, progress: 5, failed_count: 3, avg_score: good });
        for (const [said, status, score, attempts] of [
          ['plain', 'completed', good, 1],
          ['limited', 'completed', good, 2],
          ['broken', 'failed', null, 2],
          ['hung', 'failed', null, 1],
          ['trash', 'failed', null, 1],
        ] as const) {
          const item = itemOf(run, said);
          expect([said, item.status, item.score, item.attempts]).toEqual([said, status, score, attempts]);
        }
        expect(itemOf(run, 'broken').error).toMatch(
          /^HTTP 500 from http:\/\/127\.0\.0\.1:\d+: fake provider error 500$/,
        );
        expect(itemOf(run, 'hung').error).toMatch(/60 s/);
        expect(itemOf(run, 'trash').error).toMatch(/not JSON/);
        const took = Date.parse(run.ended_at!) - Date.parse(run.started_at!);
        expect(took).toBeGreaterThan(59_000);
      }
      expect(itemOf(runs.LlmJudge, 'plain')).toMatchObject({
        judge_model: 'fake:judge:0.25',
        score_reason: 'so it seems',
      });
    });

    it('reports every step by its events', async () => {
      const { runs, stage } = await loop();
      await until(() => stage.events.types.includes('dataset_deleted'));
      const { payloads, types } = stage.events;
      const count = (type: (typeof types)[number]) => types.filter((each) => each === type).length;
      expect(count('capture_triggered')).toBe(ALL.length);
      expect(count('datapoint_created')).toBe(ALL.length);
      expect(count('dataset_created')).toBe(1);
      expect(count('dataset_deleted')).toBe(1);
      expect(count('eval_started')).toBe(5);
      expect(count('eval_completed')).toBe(5);
      // Claim and submit.
      expect(count('queue_item_updated')).toBe(2);
      const reported = payloads.flatMap((event) =>
        event.type === 'eval_progress' && event.run_id === runs.Contains.id ? [event.progress] : [],
      );
      expect(reported).toEqual([1, 2, 3, 4, 5]);
    });

    it('keeps a stream open on which nothing happens, by a comment every 15 seconds', async () => {
      const { quiet, quietSince } = (await loop()).stage;
      // The loop took a minute.
      expect(quiet.text).toMatch(/^retry: 2000\n\n(: keep-alive\n\n){4,}$/);
      expect(quiet.comments.length).toBeLessThanOrEqual(1 + (Date.now() - quietSince) / 15_000);
    });

    it('compares runs', async () => {
      const { comparison, runs } = await loop();
      expect(comparison.runs.map(({ id, avg_score: score }) => [id, score])).toEqual([
        [runs.ExactMatch.id, 1],
        [runs.LlmJudge.id, 0.25],
      ]);
      expect(comparison.comparisons).toHaveLength(5);
      const plain = comparison.comparisons.find(({ expected }) => expected === `You said: ${SAID.plain}`)!;
      expect(plain.results.map(({ score, output }) => [score, output])).toEqual([
        [1, `You said: ${SAID.plain}`],
        [0.25, `You said: ${SAID.plain}`],
      ]);
    });

    it('is reviewed, and the edit counts in the next run', async () => {
      const { reviewed, edited, rerun } = await loop();
      expect(reviewed).toMatchObject({ status: 'completed', claimed_by: 'ann' });
      expect(reviewed.original_data).toMatchObject({ LlmConversation: { expected: `You said: ${SAID.plain}` } });
      expect(edited.kind).toEqual({
        LlmConversation: { messages: [{ role: 'user', content: SAID.plain }], expected: 'At noon', metadata: null },
      });
      expect(rerun).toMatchObject({ status: 'completed', total: 2, failed_count: 0, avg_score: 0.5 });
      expect(itemOf(rerun, 'plain')).toMatchObject({ expected: 'At noon', score: 0 });
    });

    it('goes with the dataset', async () => {
      const { afterDeletion } = await loop();
      expect(afterDeletion).toEqual(afterDeletion.map(() => 404));
      expect(afterDeletion).toHaveLength(5);
    });
  });
}

async function goThrough(stage: Stage): Promise<Loop> {
  const { api } = stage;
  const { body: dataset } = await api.post<{ id: string }>('/api/datasets', { name: 'loop' });
  const { body: made } = await api.post<CaptureRuleResource>(`/api/datasets/${dataset.id}/capture-rules`, {
    name: 'all of gpt-5.1',
    filters: { model: 'gpt-5.1', status: 'completed' },
  });
  await callThrough(stage);
  const captured = await listUntil(api, dataset.id, ALL.length);
  const rule = await api.get<CaptureRuleResource>(`/api/datasets/${dataset.id}/capture-rules/${made.id}`);

  const runs = await runAll(stage, dataset.id);
  const comparison = await api.get<EvalComparison>(
    `/api/datasets/${dataset.id}/compare?runs=${runs.ExactMatch.id},${runs.LlmJudge.id}`,
  );

  const { reviewed, edited } = await review(api, dataset.id, captured);
  for (const { id, kind } of captured) {
    const said = 'LlmConversation' in kind ? kind.LlmConversation.messages.at(-1)!.content : undefined;
    if (said !== SAID.plain && said !== SAID.limited) await api.delete(`/api/datasets/${dataset.id}/datapoints/${id}`);
  }
  const rerunId = await start(api, dataset.id, runs.Contains.config.connection_id!, 'Contains', 'm-again');
  const [rerun] = await ended(stage, [rerunId]);

  await api.delete(`/api/datasets/${dataset.id}`);
  const gone = [
    `/api/datasets/${dataset.id}`,
    `/api/datasets/${dataset.id}/datapoints/${edited.id}`,
    `/api/datasets/${dataset.id}/capture-rules/${made.id}`,
    `/api/eval/${rerun!.id}`,
    `/api/queue/${reviewed.id}`,
  ];
  const afterDeletion: number[] = [];
  for (const path of gone) afterDeletion.push((await api.get(path)).status);
  return {
    stage,
    captured,
    rule: rule.body,
    runs,
    comparison: comparison.body,
    reviewed,
    edited,
    rerun: rerun!,
    afterDeletion,
  };
}

/** Real traffic; the header keeps the provider from doing what the texts will make it do later. */
async function callThrough({ place, gatewayUrl }: Stage): Promise<void> {
  const defaultHeaders = { 'x-fake': 'as-usual', ...place.gatewayHeaders };
  const openai = new OpenAI({ apiKey: 'sk-loop', baseURL: `${gatewayUrl}/v1`, defaultHeaders });
  const anthropic = new Anthropic({ apiKey: 'sk-loop', baseURL: gatewayUrl, defaultHeaders });
  for (const [index, said] of ALL.entries()) {
    const messages = [{ role: 'user' as const, content: SAID[said] }];
    if (index % 2 === 0) await openai.chat.completions.create({ model: 'gpt-5.1', messages });
    else
      for await (const chunk of await openai.chat.completions.create({ model: 'gpt-5.1', messages, stream: true }))
        void chunk;
    await anthropic.messages.create({ model: 'claude-sonnet-4-6', max_tokens: 50, messages });
  }
}

async function listUntil(api: Api, datasetId: string, count: number): Promise<DatapointResource[]> {
  let datapoints: DatapointResource[] = [];
  await until(async () => {
    const { body } = await api.get<{ datapoints: DatapointResource[] }>(`/api/datasets/${datasetId}/datapoints`);
    datapoints = body.datapoints;
    return datapoints.length >= count;
  });
  // Whatever was captured too much would be there by now.
  await new Promise((resolve) => setTimeout(resolve, 500));
  const { body } = await api.get<{ datapoints: DatapointResource[] }>(`/api/datasets/${datasetId}/datapoints`);
  return body.datapoints;
}

async function runAll(stage: Stage, datasetId: string): Promise<Loop['runs']> {
  const { api } = stage;
  const { body: connection } = await api.post<{ id: string }>('/api/provider-connections', {
    name: 'fake',
    provider: 'openai',
    api_key: 'sk-loop',
    base_url: `${provider.url}/v1`,
  });
  const scorings = ['ExactMatch', 'Contains', 'LlmJudge', 'None'] as const;
  const started = await Promise.all(
    scorings.map((scoring) => start(api, datasetId, connection.id, scoring, `m-${scoring}`)),
  );
  const runs = await ended(stage, started);
  return Object.fromEntries(scorings.map((scoring, index) => [scoring, runs[index]!])) as Loop['runs'];
}

async function start(
  api: Api,
  datasetId: string,
  connectionId: string,
  scoring: string,
  model: string,
): Promise<string> {
  // A model of its own for each run and database: the provider counts its failures by model.
  const { status, body } = await api.post<EvalRunResource>(`/api/datasets/${datasetId}/eval`, {
    name: scoring,
    scoring,
    config: { connection_id: connectionId, model: `${model}-${datasetId}`, judge: { model: 'fake:judge:0.25' } },
  });
  expect([status, body.status]).toEqual([201, 'pending']);
  return body.id;
}

/** Waits for the events of their ends: to ask for a minute how runs are would cost more than the runs. */
async function ended({ api, completed }: Stage, runIds: readonly string[]): Promise<EvalRunResource[]> {
  const hasEnded = (id: string): boolean => completed.events.some(({ data }) => data.includes(id));
  await until(() => runIds.every(hasEnded), 90_000);
  const runs: EvalRunResource[] = [];
  for (const id of runIds) runs.push((await api.get<EvalRunResource>(`/api/eval/${id}`)).body);
  return runs;
}

async function review(api: Api, datasetId: string, captured: DatapointResource[]) {
  const plain = captured.find(({ kind }) => JSON.stringify(kind).includes(SAID.plain))!;
  const { body: queued } = await api.post<{ items: QueueItemResource[] }>(`/api/datasets/${datasetId}/queue`, {
    datapoint_ids: captured.map(({ id }) => id),
  });
  expect(queued.items).toHaveLength(captured.length);
  const item = queued.items.find(({ datapoint_id: id }) => id === plain.id)!;
  await api.post(`/api/queue/${item.id}/claim`, { claimed_by: 'ann' });
  const refused = await api.post(`/api/queue/${item.id}/claim`, { claimed_by: 'bob' });
  expect([refused.status, refused.body.code]).toEqual([409, 'queue_item_already_claimed']);
  const edited = { LlmConversation: { messages: [{ role: 'user', content: SAID.plain }], expected: 'At noon' } };
  const { body: reviewed } = await api.post<QueueItemResource>(`/api/queue/${item.id}/submit?apply=true`, {
    edited_data: edited,
  });
  const { body } = await api.get<DatapointResource>(`/api/datasets/${datasetId}/datapoints/${plain.id}`);
  return { reviewed, edited: body };
}
