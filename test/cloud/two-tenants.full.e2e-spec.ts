/**
 * The whole loop in cloud mode, with the programs as they are deployed: two servers and a gateway on one Postgres and one
 * Redis. Two tenants at once record with real clients, capture, evaluate, compare and review; meanwhile a server dies.
 */
import Anthropic from '@anthropic-ai/sdk';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type {
  DatapointResource,
  EvalComparison,
  EvalRunResource,
  EvalRunSummary,
  QueueItemResource,
  SpanResource,
} from '@spandrel/contract';
import OpenAI from 'openai';
import { EventClient, range } from '../events/event-client.ts';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.ts';
import { Api } from '../support/api.ts';
import type { Tenant } from '../support/tenant.ts';
import { Fleet } from '../support/fleet.ts';
import { describeWith } from '../support/redis.ts';
import { until, type Spandrel } from '../support/spandrel.ts';

/** What each tenant says, and only it. */
const WORDS = { acme: 'aardvark', globex: 'galaxy' } as const;
type Name = keyof typeof WORDS;
const NAMES = Object.keys(WORDS) as Name[];
const other = (name: Name): Name => (name === 'acme' ? 'globex' : 'acme');

/** Conversations of each tenant with each client. */
const SAID = 6;
const CONCURRENCY = 2;
/** Time within which another instance takes a run over (docs/spec/evaluations.md#runs-survive-a-restart). */
const TAKEN_OVER_MS = 60_000;

/** A tenant on its way through the loop. */
interface Traveller {
  tenant: Tenant;
  said: string[];
  datasetId: string;
  connectionId: string;
  /** Everything it made, as paths. */
  made: string[];
  captured: DatapointResource[];
}

let fleet: Fleet | undefined;
let gateway: Spandrel;
let provider: FakeProvider;
const travellers = {} as Record<Name, Traveller>;
const both = <T>(work: (traveller: Traveller, name: Name) => Promise<T>): Promise<T[]> =>
  Promise.all(NAMES.map((name) => work(travellers[name], name)));

beforeAll(async () => {
  provider = await startFakeProvider();
  fleet = await Fleet.start({
    config: `connections: { allow_private: ['127.0.0.1'] }\nevals: { concurrency: ${CONCURRENCY} }\n`,
  });
  const service = await fleet.createTenant({ name: 'the service itself', scopes: ['ingest'] });
  gateway = await fleet.startGateway(service.key, {
    SPANDREL_OPENAI_BASE_URL: provider.url,
    SPANDREL_ANTHROPIC_BASE_URL: provider.url,
  });
});

afterAll(async () => {
  await fleet?.stop();
  await provider.close();
});

describeWith('redis-server', 'two tenants of two servers and a gateway', () => {
  it('record and capture, each its own', async () => {
    for (const name of NAMES) travellers[name] = await setOut(name);
    await both((traveller) => record(traveller, 0));
    await both(async (traveller, name) => {
      await until(async () => (traveller.captured = await datapoints(traveller)).length >= SAID, 30_000);
      expect(traveller.captured.map(({ kind }) => kind)).toEqual(
        expect.arrayContaining(
          traveller.said.map((said) => ({
            LlmConversation: {
              messages: [{ role: 'user', content: said }],
              expected: `You said: ${said}`,
              metadata: null,
            },
          })),
        ),
      );
      expect(traveller.captured).toHaveLength(SAID);
      expect(await words(traveller)).toEqual([WORDS[name]]);
    });
  });

  it('have their runs go on when the server that works on them is killed; what is called meanwhile is recorded', async () => {
    const first = fleet!.servers[0]!.apiUrl;
    const second = fleet!.servers[1]!.apiUrl;
    const runs = await both(async (traveller) => start(traveller, 'ExactMatch', first));
    await both(async (traveller, name) => {
      const id = runs[NAMES.indexOf(name)]!;
      await until(async () => (await summary(traveller, id, first)).progress >= 1);
    });
    expect(await fleet!.end(0, 'SIGKILL')).toBe(null);
    const before = await both((traveller, name) => run(traveller, runs[NAMES.indexOf(name)]!, second));
    const goneOn = both(async (traveller, name) => {
      const index = NAMES.indexOf(name);
      await until(
        async () => (await summary(traveller, runs[index]!, second)).progress > before[index]!.progress,
        TAKEN_OVER_MS,
      );
    });
    await both((traveller) => record(traveller, 1));
    await fleet!.revive(0);
    await goneOn;
    await both(async (traveller, name) => {
      const index = NAMES.indexOf(name);
      const ended = await endOf(traveller, runs[index]!);
      expect(ended).toMatchObject({ status: 'completed', progress: SAID, failed_count: 0, avg_score: 1 });
      // What was finished before the end of the first server was not asked again.
      const asked = askedCounts();
      const done = before[index]!.result_items.filter(({ status }) => status === 'completed');
      expect(done.length).toBeGreaterThan(0);
      for (const { input } of done) expect(asked.get((input as { content: string }[])[0]!.content)).toBe(1);
      const again = traveller.said.filter((said) => asked.get(said)! > 1);
      expect(again.length).toBeLessThanOrEqual(CONCURRENCY);
      // Both clients' calls of both times, each once.
      await until(async () => (await spans(traveller)).filter(({ status }) => status !== 'running').length >= 4 * SAID);
      const recorded = await spans(traveller);
      expect(recorded.map(({ status }) => status)).toEqual(range(1, 4 * SAID).map(() => 'completed'));
    });
  });

  it('compare, review, and run again what was edited', async () => {
    await both(async (traveller) => {
      const { tenant, datasetId, captured, made } = traveller;
      const { api } = tenant;
      const first = (await api.get<{ runs: EvalRunResource[] }>(`/api/datasets/${datasetId}/eval`)).body.runs[0]!;
      const second = await start(traveller, 'Contains', fleet!.balancer.url);
      await endOf(traveller, second);
      const { body: comparison } = await api.get<EvalComparison>(
        `/api/datasets/${datasetId}/compare?runs=${first.id},${second}`,
      );
      expect(comparison.runs.map(({ id, avg_score: score }) => [id, score])).toEqual([
        [first.id, 1],
        [second, 1],
      ]);
      const edited = captured[0]!;
      const { body: queued } = await api.post<{ items: QueueItemResource[] }>(`/api/datasets/${datasetId}/queue`, {
        datapoint_ids: [edited.id],
      });
      const item = queued.items[0]!;
      made.push(`/api/queue/${item.id}`, `/api/eval/${first.id}`, `/api/eval/${second}`);
      await api.post(`/api/queue/${item.id}/claim`, { claimed_by: 'ann' });
      const messages = 'LlmConversation' in edited.kind ? edited.kind.LlmConversation.messages : [];
      const { status } = await api.post(`/api/queue/${item.id}/submit?apply=true`, {
        edited_data: { LlmConversation: { messages, expected: 'something else' } },
      });
      expect(status).toBe(200);
      const third = await start(traveller, 'ExactMatch', fleet!.balancer.url);
      const rerun = await endOf(traveller, third);
      // The captured ones, those of the second time too.
      expect(rerun).toMatchObject({ status: 'completed', failed_count: 0 });
      expect(rerun.avg_score).toBeCloseTo((rerun.total - 1) / rerun.total);
    });
  });

  it('know nothing of each other, on either server', async () => {
    await both(async (traveller, name) => {
      const { tenant, made } = traveller;
      const stranger = travellers[other(name)].tenant;
      const replays: string[] = [];
      await tenant.api.post('/api/traces', { name: `the last of ${name}` });
      for (const { apiUrl } of fleet!.servers) {
        const theirs = new Api(apiUrl).as(stranger.key);
        for (const path of made) {
          expect([path, (await theirs.get(path)).status]).toEqual([path, 404]);
          expect([path, (await new Api(apiUrl).as(tenant.key).get(path)).status]).toEqual([path, 200]);
        }
        replays.push(await replay(apiUrl, tenant, `the last of ${name}`));
      }
      expect(replays[0]).toBe(replays[1]);
      expect(replays[0]).toContain(WORDS[name]);
      expect(replays[0]).not.toContain(WORDS[other(name)]);
      expect(replays[0]!.match(/"type":"eval_started"/g)).toHaveLength(3);
      expect(await words(traveller)).toEqual([WORDS[name]]);
    });
    // Each tenant's provider key went with its own words.
    for (const { rawHeaders, body } of provider.requests) {
      const key = NAMES.find((name) => rawHeaders.some((value) => value.includes(`sk-${name}`)));
      expect(key).toBeDefined();
      expect(body.toString('utf8')).toContain(WORDS[key!]);
      expect(body.toString('utf8')).not.toContain(WORDS[other(key!)]);
    }
    expect(fleet!.servers.map((server) => server.output()).join()).not.toMatch(/"level":"(error|fatal)"/);
  });
});

async function setOut(name: Name): Promise<Traveller> {
  const tenant = await fleet!.createTenant({ name });
  const { api } = tenant;
  const { body: dataset } = await api.post<{ id: string }>('/api/datasets', { name: `of ${WORDS[name]}` });
  const { body: rule } = await api.post<{ id: string }>(`/api/datasets/${dataset.id}/capture-rules`, {
    name: 'all of gpt-5.1',
    filters: { model: 'gpt-5.1', status: 'completed' },
  });
  const { body: connection } = await api.post<{ id: string }>('/api/provider-connections', {
    name: 'fake',
    provider: 'openai',
    api_key: `sk-${name}-stored`,
    base_url: `${provider.url}/v1`,
  });
  return {
    tenant,
    said: range(1, SAID).map((turn) => `fake:slow:700 The ${WORDS[name]} of turn ${turn}`),
    datasetId: dataset.id,
    connectionId: connection.id,
    made: [
      `/api/datasets/${dataset.id}`,
      `/api/datasets/${dataset.id}/capture-rules/${rule.id}`,
      `/api/provider-connections/${connection.id}`,
    ],
    captured: [],
  };
}

/** Calls both providers through the gateway. @param time the second one says the same with another model. */
async function record({ tenant, said }: Traveller, time: number): Promise<void> {
  const name = NAMES.find((each) => travellers[each].tenant === tenant)!;
  // The header keeps the provider from doing what the texts will make it do later.
  const defaultHeaders = { 'x-fake': 'as-usual', 'X-Spandrel-Key': tenant.key };
  const options = { apiKey: `sk-${name}-own`, defaultHeaders, maxRetries: 0 };
  const openai = new OpenAI({ ...options, baseURL: `${gateway.gatewayUrl}/v1` });
  const anthropic = new Anthropic({ ...options, baseURL: gateway.gatewayUrl });
  const model = time === 0 ? 'gpt-5.1' : 'gpt-4.1-mini';
  for (const [index, content] of said.entries()) {
    const messages = [{ role: 'user' as const, content }];
    if (index % 2 === 0) await openai.chat.completions.create({ model, messages });
    else for await (const chunk of await openai.chat.completions.create({ model, messages, stream: true })) void chunk;
    await anthropic.messages.create({ model: 'claude-sonnet-4-6', max_tokens: 50, messages });
  }
}

const datapoints = async ({ tenant, datasetId }: Traveller): Promise<DatapointResource[]> =>
  (await tenant.api.get<{ datapoints: DatapointResource[] }>(`/api/datasets/${datasetId}/datapoints`)).body.datapoints;

const spans = ({ tenant }: Traveller): Promise<SpanResource[]> => tenant.api.spans();

/** Which tenants' words are in all that a tenant can have. */
async function words({ tenant }: Traveller): Promise<string[]> {
  const texts = await Promise.all(
    ['/api/export/json', '/api/spans?limit=1000', '/api/traces', '/api/datasets', '/api/queue'].map(async (path) =>
      JSON.stringify((await tenant.api.get<unknown>(path)).body),
    ),
  );
  return Object.values(WORDS).filter((word) => texts.some((text) => text.includes(word)));
}

async function start({ tenant, datasetId, connectionId }: Traveller, scoring: string, at: string): Promise<string> {
  const { status, body } = await new Api(at).as(tenant.key).post<EvalRunResource>(`/api/datasets/${datasetId}/eval`, {
    name: scoring,
    scoring,
    config: { connection_id: connectionId, model: 'm' },
  });
  expect([status, body.status]).toEqual([201, 'pending']);
  return body.id;
}

const run = async ({ tenant }: Traveller, id: string, at = fleet!.balancer.url): Promise<EvalRunResource> =>
  (await new Api(at).as(tenant.key).get<EvalRunResource>(`/api/eval/${id}`)).body;

/** A run without its items, for questions that are asked again and again. */
const summary = async ({ tenant }: Traveller, id: string, at = fleet!.balancer.url): Promise<EvalRunSummary> =>
  (await new Api(at).as(tenant.key).get<EvalRunSummary>(`/api/eval/${id}?items=none`)).body;

async function endOf(traveller: Traveller, id: string): Promise<EvalRunResource> {
  await until(async () => (await summary(traveller, id)).status === 'completed', 60_000);
  return run(traveller, id);
}

/** How often evaluations asked the provider by what was said. */
function askedCounts(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { rawHeaders, body } of provider.requests) {
    if (rawHeaders.some((value) => value === 'as-usual')) continue;
    const { messages } = JSON.parse(body.toString('utf8')) as { messages: { content: string }[] };
    const { content } = messages.at(-1)!;
    counts.set(content, (counts.get(content) ?? 0) + 1);
  }
  return counts;
}

/** All events of a tenant that a server replays, in order, until one that names `last`. */
async function replay(apiUrl: string, { key }: Tenant, last: string): Promise<string> {
  const client = await EventClient.open(apiUrl, { query: 'since=0', headers: { authorization: `Bearer ${key}` } });
  await until(() => client.text.includes(last));
  client.close();
  expect(client.ids).toEqual(range(1, client.ids.length));
  return client.events.map(({ data }) => data).join('\n');
}
