/** Limits per organization as clients see them: two instances of cloud mode on one Postgres and one Redis. */
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Agent, request } from 'undici';
import type { KeyCreated, KeyResource, Problem, ProjectResource } from '@spandrel/contract';
import { readMetrics } from '../operations/metrics-text.ts';
import { cloudApp, type CloudApp } from '../support/cloud-app.ts';
import { ADMIN_TOKEN, type Tenant } from '../support/tenant.ts';
import { createMigrated } from '../support/migrated-database.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { sendRaw } from '../support/raw-http.ts';
import { describeWith, makeRedis, type TestRedis } from '../support/redis.ts';
import { until } from '../support/spandrel.ts';

const LIMIT = 100;
const FALLBACKS = 'spandrel_rate_limit_fallbacks_total';

/** Answers of a client that sends so many requests a second, at both instances in turn. */
interface Traffic {
  statuses: number[];
  /** Milliseconds, in ascending order. */
  latencies: number[];
  /** When the last request was sent, and when the last answer came. */
  sent: number;
  answered: number;
}

describeWith('redis-server', 'an organization at its limit', () => {
  let postgres: TestPostgres;
  let redis: TestRedis;
  let apps: CloudApp[] = [];
  let busy: Tenant;
  let other: Tenant;
  const clients = new Agent({ connections: 20 });

  beforeAll(async () => {
    redis = await makeRedis();
    [postgres] = await Promise.all([startPostgres(), redis.start()]);
    const url = await createMigrated(postgres, 'limits');
    const options = { env: { REDIS_URL: redis.url, SPANDREL_RATE_LIMIT: String(LIMIT) } };
    apps = [await cloudApp(url, options), await cloudApp(url, options)];
    [busy, other] = await Promise.all([
      apps[0]!.createTenant({ rateLimit: null }),
      apps[0]!.createTenant({ rateLimit: null }),
    ]);
  });
  afterAll(async () => {
    await clients.destroy();
    await Promise.all(apps.map((app) => app.close()));
    await postgres?.stop();
    await redis?.crash();
  });

  const ask = (app: CloudApp, { key }: Tenant, path = '/api/traces?limit=1', method = 'GET'): Promise<Response> =>
    fetch(app.url + path, { method, headers: { authorization: `Bearer ${key}` } });

  const traffic = async (tenant: Tenant, perSecond: number, seconds: number): Promise<Traffic> => {
    const statuses: number[] = [];
    const latencies: number[] = [];
    const under: Promise<void>[] = [];
    const one = async (app: CloudApp): Promise<void> => {
      const sent = performance.now();
      const headers = { authorization: `Bearer ${tenant.key}` };
      const answer = await request(`${app.url}/api/traces?limit=1`, { headers, dispatcher: clients });
      await answer.body.dump();
      statuses.push(answer.statusCode);
      latencies.push(performance.now() - sent);
    };
    const began = performance.now();
    let sent = began;
    for (; sent - began < seconds * 1_000; sent = performance.now()) {
      while (under.length < ((performance.now() - began) * perSecond) / 1_000) under.push(one(apps[under.length % 2]!));
      await pause(2);
    }
    await Promise.all(under);
    return { statuses, latencies: latencies.sort((a, b) => a - b), sent, answered: performance.now() };
  };
  const p99 = ({ latencies }: Traffic): number => latencies[Math.floor(latencies.length * 0.99)]!;
  /** Uses up what the organization may do at once. @returns a refusal, when it was asked for and when it came. */
  const drain = async (tenant: Tenant): Promise<{ refusal: Response; asked: number; reported: number }> => {
    for (;;) {
      const asked = performance.now();
      const answers = await Promise.all(Array.from({ length: 40 }, (_, n) => ask(apps[n % 2]!, tenant)));
      const refusal = answers.find(({ status }) => status === 429);
      if (refusal) return { refusal, asked, reported: performance.now() };
    }
  };
  const metricsOf = async (app: CloudApp) => {
    const answer = await fetch(`${app.url}/metrics`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
    return readMetrics(await answer.text());
  };
  /** Requests that an instance counted by itself since Redis did not answer, on a machine that is busy otherwise. */
  const fallbacks = async (): Promise<number> => {
    const texts = await Promise.all(apps.map(async (app) => (await metricsOf(app)).get(FALLBACKS)!.samples[0]!));
    return texts.reduce((sum, text) => sum + Number(text.split(' ')[1]), 0);
  };
  const newTenant = (rateLimit: number): Promise<Tenant> => apps[0]!.createTenant({ rateLimit });

  it('is served its limit within 5 %, by both together, and no other organization waits for it', async () => {
    await traffic(other, 50, 0.5);
    const alone = await traffic(other, 50, 1);
    const overload = async (limit: number) => {
      const tenant = limit === LIMIT ? busy : await newTenant(limit);
      const empty = await drain(tenant);
      const [over, beside] = await Promise.all([traffic(tenant, 3 * limit, 3), traffic(other, 50, 3)]);
      return { limit, empty, over, beside };
    };
    const isOver = ({ over: { statuses } }: Awaited<ReturnType<typeof overload>>): boolean =>
      statuses.filter((status) => status === 429).length > statuses.length / 3;
    let last = await overload(LIMIT);
    // A machine that cannot answer three times the limit shows half of it.
    while (!isOver(last) && last.limit > 10) last = await overload(last.limit / 2);
    const { limit, empty, over, beside } = last;
    const served = over.statuses.filter((status) => status === 200).length;
    // Nobody knows when exactly a request was counted: the most and the least that may have come into the bucket.
    // What an instance decided by itself while Redis did not answer may be more or fewer than the bucket had.
    const byItself = await fallbacks();
    const most = ((over.answered - empty.asked) * limit) / 1_000 + byItself;
    const least = ((over.sent - empty.reported) * limit) / 1_000 - byItself;
    const figures = { served, most, least, p99: { alone: p99(alone), beside: p99(beside), refused: p99(over) } };
    if (process.env['SPANDREL_TEST_FIGURES']) process.stderr.write(`rate limit: ${JSON.stringify(figures)}\n`);
    expect(new Set(over.statuses)).toEqual(new Set([200, 429]));
    expect(served).toBeGreaterThan(0.95 * least);
    expect(served).toBeLessThan(1.05 * most);
    expect(new Set(beside.statuses)).toEqual(new Set([200]));
    // Client and servers share one thread: on a machine that is busy otherwise everybody waits for it.
    expect(p99(beside)).toBeLessThan(Math.max(5 * p99(alone) + 100, 2 * p99(over)));
  });

  it('is warned before its body is read, with when to come again', async () => {
    const tenant = await newTenant(1);
    const { refusal } = await drain(tenant);
    expect(Object.fromEntries(refusal.headers)).toMatchObject({
      'content-type': expect.stringMatching(/^application\/problem\+json/),
      'retry-after': '1',
      'ratelimit-policy': '"org";q=1;w=1',
      ratelimit: '"org";r=0;t=1',
    });
    expect((await refusal.json()) as Problem).toMatchObject({ status: 429, code: 'rate_limited' });
    // The API client checks each answer against the OpenAPI document.
    const checked = await Promise.all([1, 2, 3].map(() => tenant.api.get('/api/traces')));
    expect(checked.map(({ status }) => status)).toContain(429);
    const head = [
      'POST /api/ingest HTTP/1.1',
      'Host: x',
      `Authorization: Bearer ${tenant.key}`,
      'Content-Type: application/json',
      'Content-Length: 5000000',
    ];
    const { statuses, text } = await sendRaw(apps[0]!.url, `${head.join('\r\n')}\r\n\r\n{`);
    expect(statuses).toEqual([429]);
    expect(text.toLowerCase()).toContain('\r\nretry-after: 1\r\n');
  });

  it('sees the limit on every counted answer, and none on those that are free', async () => {
    const tenant = await newTenant(1_000);
    const writer = await tenant.createKey(['ingest']);
    const shown = async (path: string, method = 'GET', init: RequestInit = {}) => {
      const abort = new AbortController();
      const headers = { authorization: `Bearer ${tenant.key}`, ...(init.headers as Record<string, string>) };
      const answer = await fetch(apps[1]!.url + path, { method, ...init, headers, signal: abort.signal });
      const limits = [answer.headers.get('ratelimit-policy'), answer.headers.get('ratelimit')];
      abort.abort();
      return [answer.status, ...limits];
    };
    const counted = (status: number) => [status, '"org";q=1000;w=1', expect.stringMatching(/^"org";r=9\d\d;t=1$/)];
    const json = { headers: { 'content-type': 'application/json' } };
    expect(await shown('/api/traces')).toEqual(counted(200));
    expect(await shown('/api/traces', 'HEAD')).toEqual(counted(200));
    expect(await shown('/api/traces', 'POST', { ...json, body: '{}' })).toEqual(counted(201));
    expect(await shown('/api/traces', 'POST', { ...json, body: '{' })).toEqual(counted(400));
    expect(await shown('/api/traces/none')).toEqual(counted(404));
    expect(await shown('/api/nothing')).toEqual(counted(404));
    expect(await shown('/api/export/json')).toEqual(counted(200));
    expect(await shown(`/api/events?token=${tenant.key}`)).toEqual(counted(200));

    const free = (status: number) => [status, null, null];
    for (const path of ['/livez', '/api/health', '/api/openapi.json', '/docs']) {
      expect([path, await shown(path)]).toEqual([path, free(200)]);
    }
    // Nobody has said yet that this instance is ready.
    expect(await shown('/readyz')).toEqual(free(503));
    const as = (credential: string) => ({ headers: { authorization: `Bearer ${credential}` } });
    expect(await shown('/metrics', 'GET', as(ADMIN_TOKEN))).toEqual(free(200));
    expect(await shown('/api/orgs', 'GET', as(ADMIN_TOKEN))).toEqual(free(200));
    expect(await shown('/api/credential')).toEqual(free(200));
    expect(await shown('/api/traces', 'GET', as('nonsense'))).toEqual(free(401));
    expect(await shown('/api/traces', 'GET', as(writer.key))).toEqual(free(403));
  });

  it('has a limit that was raised soon, at both instances', async () => {
    const tenant = await newTenant(10);
    for (const app of apps) await ask(app, tenant);
    const raised = await apps[0]!.api.patch(`/api/orgs/${tenant.org.id}`, { rate_limit: 500 });
    expect(raised.status).toBe(200);
    const policies = () =>
      Promise.all(apps.map(async (app) => (await ask(app, tenant)).headers.get('ratelimit-policy')));
    await until(async () => (await policies()).every((policy) => policy === '"org";q=500;w=1'));
    expect((await traffic(tenant, 150, 0.4)).statuses.filter((status) => status !== 200)).toEqual([]);
  });

  it('lets a project at ten requests a second through while another one floods', async () => {
    const tenant = await apps[0]!.createTenant({ rateLimit: null });
    const { body: project } = await tenant.api.post<ProjectResource>(`/api/orgs/${tenant.org.id}/projects`, {
      name: 'quiet',
    });
    const { body: made } = await tenant.api.post<KeyCreated>('/api/keys', {
      ...{ name: 'quiet', scopes: ['read'], project_id: project.id },
    });
    await drain(tenant);
    const [over, beside] = await Promise.all([
      traffic(tenant, 3 * LIMIT, 3),
      traffic({ ...tenant, key: made.key }, 10, 3),
    ]);
    expect(new Set(over.statuses)).toEqual(new Set([200, 429]));
    expect(beside.statuses.length).toBeGreaterThanOrEqual(28);
    expect(new Set(beside.statuses)).toEqual(new Set([200]));
  });

  it('may give its projects and keys limits of their own, and each refusal says which it was', async () => {
    const tenant = await newTenant(1_000);
    const path = `/api/projects/${tenant.project.id}`;
    const changed = await tenant.api.patch<ProjectResource>(path, { rate_limit: 3 });
    expect([changed.status, changed.body.rate_limit]).toEqual([200, 3]);
    const ofProject = (await drain(tenant)).refusal;
    expect(Object.fromEntries(ofProject.headers)).toMatchObject({
      ...{ 'ratelimit-policy': '"org";q=1000;w=1, "project";q=3;w=1', ratelimit: '"project";r=0;t=1' },
    });
    expect(((await ofProject.json()) as Problem).detail).toBe(
      'the project has reached its limit of 3 requests a second',
    );
    // The operator's requests do not count.
    await apps[0]!.api.patch(path, { rate_limit: null });
    const key = await apps[0]!.api.patch<KeyResource>(`/api/keys/${tenant.keyId}`, { rate_limit: 2 });
    expect([key.status, key.body.rate_limit]).toEqual([200, 2]);
    await until(
      async () => (await ask(apps[1]!, tenant)).headers.get('ratelimit-policy')?.includes('"key";q=2') === true,
    );
    const ofKey = (await drain(tenant)).refusal;
    expect(ofKey.headers.get('ratelimit')).toBe('"key";r=0;t=1');
    expect(((await ofKey.json()) as Problem).detail).toBe('the API key has reached its limit of 2 requests a second');
    // Another key of the project has its own.
    const other = await tenant.createKey(['read']);
    const answer = await ask(apps[0]!, { ...tenant, key: other.key });
    expect([answer.status, answer.headers.get('ratelimit-policy')]).toEqual([200, '"org";q=1000;w=1']);
    const invalid = await apps[0]!.api.patch(path, { rate_limit: 0 });
    expect([invalid.status, invalid.body.code]).toEqual([400, 'validation_failed']);
  });

  it('shows in metrics, which name no organization', async () => {
    await drain(await newTenant(1));
    const metrics = await metricsOf(apps[0]!);
    const docs = readFileSync('docs/operations.md', 'utf8');
    for (const name of ['spandrel_rate_limited_requests_total', FALLBACKS]) {
      const { type, samples } = metrics.get(name)!;
      for (const sample of samples)
        expect(sample).toMatch(new RegExp(`^${name}(\\{limit="(org|project|key|route)"\\})? \\d+$`));
      expect(docs).toMatch(new RegExp(`^\\| \`${name}\` +\\| ${type} +\\| [^|]+\\| [^|]+\\|$`, 'm'));
    }
    expect(metrics.get('spandrel_rate_limited_requests_total')!.samples[0]).not.toMatch(/ 0$/);
  });
});
