/** Limits per organization on a real Redis: shared by instances, and what holds while Redis is away. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { Registry } from '@prometheus-io/client';
import fc from 'fast-check';
import { createLogger, dropRedisClient, makeRedisClient, type RedisClient } from '@spandrel/kernel';
import { BUCKET_SCRIPT, REDIS_TIME } from '../../libs/access/src/limits/shared-buckets.js';
import { RateLimits } from '../../libs/access/src/limits/rate-limits.js';
import { takeTokens, type Buckets, type CountedRequest, type Rates } from '../../libs/access/src/limits/take-tokens.js';
import { freePort } from '../support/ports.ts';
import { describeWith, makeRedis, type TestRedis } from '../support/redis.ts';
import { until } from '../support/spandrel.ts';
import { repetitions } from '../support/repetitions.ts';

const lines: string[] = [];
const logger = createLogger('info', 'test', { write: (line: string) => void lines.push(line) });
const said = (text: string): number => lines.filter((line) => line.includes(text)).length;

const opened: { limits: RateLimits; registry: Registry }[] = [];

async function instance(redisUrl: string | null): Promise<RateLimits> {
  const registry = new Registry();
  const limits = new RateLimits({ redisUrl }, logger, registry);
  opened.push({ limits, registry });
  await limits.onApplicationBootstrap();
  return limits;
}

/** A request of an organization with one project, and with no limit but its own. */
const of = (orgId: string, org: number): CountedRequest => ({
  ...{ orgId, projectId: `project of ${orgId}`, keyId: null },
  rates: { org, project: null, key: null, guaranteed: 0 },
});

const isAllowed = async (limits: RateLimits, request: CountedRequest): Promise<boolean> =>
  (await limits.take(request)).refusedBy === null;

/** What the instances opened by this test counted, together. */
async function counted(metric: string): Promise<number> {
  const values = await Promise.all(opened.map(({ registry }) => registry.getSingleMetric(metric)!.get()));
  return values.flatMap((metric) => metric.values).reduce((sum, { value }) => sum + value, 0);
}

afterEach(() => {
  for (const { limits } of opened.splice(0)) limits.onApplicationShutdown();
  lines.length = 0;
});

let organizations = 0;
const newOrganization = (): string => `org-${++organizations}`;

/** Uses up what an organization may do at once. @returns when the first refusal was asked for, and when it came. */
async function drain(
  limits: RateLimits,
  orgId: string,
  perSecond: number,
): Promise<{ asked: number; reported: number }> {
  for (;;) {
    const asked = performance.now();
    if (!(await isAllowed(limits, of(orgId, perSecond)))) return { asked, reported: performance.now() };
  }
}

/**
 * Offers three times what is allowed, at two instances in turn, to a bucket that is empty.
 * @returns what was served, as a share of what came into the bucket: of the most and of the least that may have been,
 *   since nobody knows when exactly a request was counted.
 */
async function overload(
  instances: RateLimits[],
  orgId: string,
  perSecond: number,
  seconds: number,
): Promise<{ ofMost: number; ofLeast: number; refused: number }> {
  const empty = await drain(instances[0]!, orgId, perSecond);
  const answers: Promise<boolean>[] = [];
  const began = performance.now();
  let last = began;
  // Until the last offer, not until a time: a pause may be over late.
  for (; last - began < seconds * 1_000; await pause(5)) {
    while (answers.length < ((performance.now() - began) * 3 * perSecond) / 1_000) {
      answers.push(isAllowed(instances[answers.length % 2]!, of(orgId, perSecond)));
    }
    last = performance.now();
  }
  const served = (await Promise.all(answers)).filter(Boolean).length;
  const refused = answers.length - served;
  const came = (from: number, until: number): number => ((until - from) * perSecond) / 1_000;
  return {
    ofMost: served / came(empty.asked, performance.now()),
    ofLeast: served / came(empty.reported, last),
    refused,
  };
}

describeWith('redis-server', 'the limits of an organization', () => {
  let redis: TestRedis;
  let client: RedisClient;
  beforeAll(async () => {
    redis = await makeRedis();
    await redis.start();
    client = await makeRedisClient(redis.url, true);
    client.on('error', () => undefined);
    await client.connect();
  });
  afterAll(async () => {
    if (client) dropRedisClient(client);
    await redis?.crash();
  });

  it('is kept by two instances together, within 5 %, and touches no other organization', async () => {
    const instances = [await instance(redis.url), await instance(redis.url)];
    const other = newOrganization();
    const others: boolean[] = [];
    const began = performance.now();
    let sent = 0;
    // Fifty a second, also where the timer comes late.
    const beside = setInterval(() => {
      for (; sent < (performance.now() - began) / 20; sent++) {
        void isAllowed(instances[sent % 2]!, of(other, 100)).then((allowed) => others.push(allowed));
      }
    }, 20);
    const { ofMost, ofLeast, refused } = await overload(instances, newOrganization(), 100, 3);
    clearInterval(beside);
    expect(ofLeast).toBeGreaterThan(0.95);
    // On a machine where Redis gets no processor for 100 ms, an instance counts by itself for a second.
    const alone = await counted('spandrel_rate_limit_fallbacks_total');
    expect(ofMost).toBeLessThan(1.05 + alone / 300);
    expect(others.length).toBeGreaterThan(75);
    expect(others.every(Boolean)).toBe(true);
    // One more, which finds the bucket empty.
    expect(await counted('spandrel_rate_limited_requests_total')).toBe(refused + 1);
    expect(lines.length > 0).toBe(alone > 0);
  });

  it('counts in Redis as takeTokens does, whatever comes when', async () => {
    const script = BUCKET_SCRIPT.replace(REDIS_TIME, 'local now = tonumber(ARGV[6])');
    expect(script).not.toBe(BUCKET_SCRIPT);
    const rate = fc.constantFrom(1, 7, 300, 999_983);
    const request = fc.record({
      gap: fc.integer({ min: -1_000, max: 400_000 }),
      project: fc.constantFrom('p', 'q'),
      rates: fc.record({
        ...{ org: rate, project: fc.option(rate), key: fc.option(rate), route: fc.option(rate) },
        guaranteed: fc.constantFrom(0, 1, 1.4, 20),
      }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(request, { minLength: 1, maxLength: 30 }), async (requests) => {
        const name = `test:${newOrganization()}`;
        const known = new Map<string, Buckets>();
        let now = 1_763_000_000_000_000;
        for (const { gap, project, rates } of requests) {
          now += gap;
          const { org } = known.get('') ?? {};
          const { refusedBy, remaining, buckets } = takeTokens(
            { ...known.get(project), ...(org && { org }) },
            rates as Rates,
            now,
          );
          const answer = await client.eval(script, {
            keys: [name, `${name}:${project}`, `${name}:${project}:key`, `${name}:${project}:route`],
            arguments: [rates.org, rates.project, rates.key, rates.guaranteed, rates.route, now].map((each) =>
              String(each ?? 0),
            ),
          });
          const number = refusedBy === null ? 0 : ['org', 'project', 'key', 'route'].indexOf(refusedBy) + 1;
          expect(answer).toEqual([number, remaining.org, remaining.project, remaining.key, remaining.route]);
          // A refusal changes nothing there; what fills meanwhile is the same.
          if (refusedBy !== null) continue;
          known.set('', { org: buckets.org! });
          const key = buckets.key ?? known.get(project)?.key;
          const route = buckets.route ?? known.get(project)?.route;
          known.set(project, { project: buckets.project!, ...(key && { key }), ...(route && { route }) });
        }
      }),
      { numRuns: repetitions(20) },
    );
  });

  it('says what remains, follows a limit that changes, and leaves nothing behind', async () => {
    const limits = await instance(redis.url);
    const orgId = newOrganization();
    const remaining = { project: 0, key: 0 };
    expect(await limits.take(of(orgId, 3))).toMatchObject({ refusedBy: null, remaining: { org: 2, ...remaining } });
    await drain(limits, orgId, 3);
    expect(await limits.take(of(orgId, 3))).toMatchObject({ refusedBy: 'org', remaining: { org: 0, ...remaining } });
    await pause(20);
    expect(await limits.take(of(orgId, 1_000))).toMatchObject({ refusedBy: null, rates: { org: 1_000 } });
    const keys = [`spandrel:limit:{${orgId}}`, `spandrel:limit:{${orgId}}:project:project of ${orgId}`];
    for (const key of keys) {
      expect(await client.pTTL(key)).toBeGreaterThan(1_000);
      expect(await client.pTTL(key)).toBeLessThanOrEqual(3_000);
    }
    expect((await client.keys(`spandrel:limit:{${orgId}}*`)).toSorted()).toEqual(keys);
  });

  it('is shared by the projects of an organization: one that floods starves no other, at two instances', async () => {
    const instances = [await instance(redis.url), await instance(redis.url)];
    const rates = { org: 100, project: null, key: null, guaranteed: 20 };
    const orgId = newOrganization();
    const flood = { orgId, projectId: 'flood', keyId: null, rates };
    for (let n = 0; n < 300; n++) await instances[n % 2]!.take(flood);
    const quiet: boolean[] = [];
    const began = performance.now();
    let refused = 0;
    while (performance.now() - began < 1_500) {
      const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => isAllowed(instances[n % 2]!, flood)));
      refused += answers.filter((allowed) => !allowed).length;
      // Ten requests a second of the quiet one, also where the loop comes late.
      if (quiet.length < (performance.now() - began) / 100)
        quiet.push(await isAllowed(instances[quiet.length % 2]!, { ...flood, projectId: 'quiet' }));
    }
    expect(refused).toBeGreaterThan(0);
    expect(quiet.length).toBeGreaterThan(5);
    expect(quiet).toEqual(quiet.map(() => true));
  });

  it('holds after Redis has forgotten its scripts', async () => {
    const limits = await instance(redis.url);
    const orgId = newOrganization();
    await limits.take(of(orgId, 2));
    await client.scriptFlush();
    expect([await limits.take(of(orgId, 2)), await limits.take(of(orgId, 2))]).toMatchObject([
      { refusedBy: null, remaining: { org: 0 } },
      { refusedBy: 'org' },
    ]);
    expect(await counted('spandrel_rate_limit_fallbacks_total')).toBe(0);
  });

  it('is kept by each instance alone while Redis is down, and by all again when it is back', async () => {
    const instances = [await instance(redis.url), await instance(redis.url)];
    const orgId = newOrganization();
    await drain(instances[0]!, orgId, 1);
    await redis.crash();
    const allowed = [];
    for (const limits of [...instances, ...instances]) allowed.push(await isAllowed(limits, of(orgId, 1)));
    expect(allowed).toEqual([true, true, false, false]);
    expect(said('Redis cannot be reached')).toBe(2);
    await redis.start();
    await until(() => Promise.resolve(said('Redis is reached again') === 2));
    const before = await counted('spandrel_rate_limit_fallbacks_total');
    const { ofMost, ofLeast } = await overload(instances, orgId, 100, 0.5);
    expect(ofLeast).toBeGreaterThan(0.8);
    // Without a processor for 100 ms Redis counts as away again, and an instance counts by itself for a second.
    const alone = (await counted('spandrel_rate_limit_fallbacks_total')) - before;
    expect(ofMost).toBeLessThan(1.2 + alone / 50);
    expect(lines.length > 4).toBe(alone > 0);
  });

  it('keeps nobody waiting for a Redis that hangs', async () => {
    const limits = await instance(redis.url);
    const orgId = newOrganization();
    redis.signal('SIGSTOP');
    try {
      const waits: number[] = [];
      for (let round = 0; round < 50; round++) {
        const began = performance.now();
        await Promise.all([limits.take(of(orgId, 100)), limits.take(of(orgId, 100))]);
        waits.push(performance.now() - began);
      }
      // The first ones find it out, and wait for that; if the others waited too, they would take a hundred times as long.
      expect(waits.slice(1).reduce((sum, wait) => sum + wait) / 49).toBeLessThan(waits[0]! / 2);
      expect([said('Redis cannot be reached'), lines.length]).toEqual([1, 1]);
    } finally {
      redis.signal('SIGCONT');
    }
    await until(() => Promise.resolve(said('Redis is reached again') === 1));
    expect(await limits.take(of(newOrganization(), 100))).toMatchObject({ remaining: { org: 99 } });
    expect(await counted('spandrel_rate_limit_fallbacks_total')).toBe(100);
  });
});

describe('an instance without Redis', () => {
  it('limits by itself', async () => {
    const limits = await instance(null);
    const taken = await Promise.all(['a', 'a', 'a', 'b'].map((orgId) => isAllowed(limits, of(orgId, 2))));
    expect(taken).toEqual([true, true, false, true]);
    expect(await counted('spandrel_rate_limit_fallbacks_total')).toBe(0);
    expect(await counted('spandrel_rate_limited_requests_total')).toBe(1);
  });

  it('starts and limits by itself when the configured one is not there', async () => {
    const limits = await instance(`redis://127.0.0.1:${await freePort()}`);
    const taken = await Promise.all(['a', 'a', 'a'].map((orgId) => isAllowed(limits, of(orgId, 2))));
    expect(taken).toEqual([true, true, false]);
    expect([said('Redis cannot be reached'), lines.length]).toEqual([1, 1]);
    expect(await counted('spandrel_rate_limit_fallbacks_total')).toBe(3);
  });
});
