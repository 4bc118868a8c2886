/** The event stream of two instances on one Postgres, with Redis between them and without. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createLogger, type Logger } from '@spandrel/kernel';
import { ProjectFeeds } from '../../libs/events/src/feed/project-feeds.js';
import { createMigrated } from '../support/migrated-database.ts';
import { startPostgres, type TestPostgres } from '../support/postgres.ts';
import { describeWith, makeRedis, type TestRedis } from '../support/redis.ts';
import { startServerApp, type ServerApp } from '../support/server-app.ts';
import { tempDir, until } from '../support/spandrel.ts';
import { EventClient, range } from './event-client.ts';
import { describeStreamModel } from './stream-model.ts';
import { repetitions } from '../support/repetitions.ts';

let postgres: TestPostgres | undefined;
beforeAll(async () => {
  postgres = await startPostgres();
});
afterAll(() => postgres?.stop());

/** Two instances on a database of their own. */
async function startTwo(name: string, redisUrl: string | null, logger?: Logger): Promise<ServerApp[]> {
  const url = await createMigrated(postgres!, name);
  const start = () =>
    startServerApp(
      { dialect: 'postgres', url },
      { settings: (settings) => void (settings.core.redisUrl = redisUrl), ...(logger && { logger }) },
    );
  return Promise.all([start(), start()]);
}

describe('two instances without Redis', () => {
  let servers: ServerApp[] = [];
  beforeAll(async () => {
    servers = await startTwo('without', null);
  });
  afterAll(() => Promise.all(servers.map((server) => server.close())));

  describeStreamModel(() => servers, {
    runs: repetitions(30),
    settle: async () => void (await Promise.all(servers.map(({ app }) => app.get(ProjectFeeds).catchUp()))),
  });

  it('replay each the events of both, and report the other one with the next of their own', async () => {
    const trace = (n: number, name: string) => servers[n]!.api.post('/api/traces', { name });
    const live = await EventClient.open(servers[0]!.url);
    await trace(1, 'there');
    await trace(1, 'there too');
    await trace(0, 'here');
    await live.has(3);
    const replayed = await EventClient.open(servers[1]!.url, { query: 'since=0' });
    await replayed.has(3);
    expect(live.ids).toEqual([1, 2, 3]);
    expect(replayed.text).toBe(live.text);
    live.close();
    replayed.close();
  });
});

describeWith('redis-server', 'two instances with Redis', () => {
  let redis: TestRedis;
  let servers: ServerApp[] = [];
  const lines: string[] = [];
  const clients: EventClient[] = [];
  beforeAll(async () => {
    redis = await makeRedis();
    await redis.start();
    const logger = createLogger('info', 'test', { write: (line: string) => void lines.push(line) });
    servers = await startTwo('with', redis.url, logger);
  });
  afterEach(() => clients.splice(0).forEach((client) => client.close()));
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.close()));
    await redis.crash();
  });

  const listen = async (n: number, project: string, query = ''): Promise<EventClient> => {
    const client = await EventClient.open(servers[n]!.url, { project, query });
    clients.push(client);
    return client;
  };
  const traces = async (n: number, project: string, from: number, to: number): Promise<void> => {
    for (const name of range(from, to))
      await servers[n]!.api.send('POST', '/api/traces', { name: `t${name}` }, { 'x-test-project': project });
  };
  const said = (what: string): number => lines.filter((line) => line.includes(what)).length;

  describeStreamModel(() => servers, { runs: repetitions(30), settleMs: 5_000 });

  it('deliver events of the other one at once', async () => {
    const live = await listen(0, 'at-once');
    await traces(1, 'at-once', 1, 1);
    await live.has(1);
  });

  it('deliver large events', async () => {
    const live = await listen(0, 'large');
    const large = 'x'.repeat(400_000);
    const name = { name: 'large', metadata: { large } };
    await servers[1]!.api.send('POST', '/api/traces', name, { 'x-test-project': 'large' });
    await live.has(1, 3_000);
    expect(live.events[0]!.data).toContain(large);
  });

  it('go on without Redis and lose nothing when it comes back', async () => {
    const live = await Promise.all([0, 1].map((n) => listen(n, 'outage')));
    await traces(1, 'outage', 1, 2);
    for (const client of live) await client.has(2);
    await redis.crash();
    await traces(0, 'outage', 3, 5);
    await live[0]!.has(5);
    await until(() => said('Redis cannot be reached') === servers.length);
    await redis.start();
    await live[1]!.has(5);
    await until(() => said('Redis is reached again') === servers.length);
    await traces(1, 'outage', 6, 7);
    for (const client of live) {
      await client.has(7);
      expect(client.ids).toEqual(range(1, 7));
    }
    expect(said('Redis cannot be reached')).toBe(servers.length);
  });

  it('send each project all of its own, once, while Redis dies and clients go from one to the other', async () => {
    const COUNT = 60;
    const projects = ['left', 'right'];
    const follow = async (project: string, first: number) => {
      const seen: { id: number; data: string }[] = [];
      for (let n = first; seen.length < COUNT; n = 1 - n) {
        const client = await EventClient.open(servers[n]!.url, {
          project,
          headers: { 'last-event-id': String(seen.at(-1)?.id ?? 0) },
        });
        const leaves = Math.min(COUNT - seen.length, 7);
        await client.has(leaves, 15_000);
        client.close();
        seen.push(...client.events.slice(0, leaves));
      }
      return seen;
    };
    const following = Promise.all(projects.flatMap((project) => [follow(project, 0), follow(project, 1)]));
    for (let name = 1; name <= COUNT; name++) {
      if (name === 20) await redis.crash();
      if (name === 40) await redis.start();
      await Promise.all(projects.map((project, index) => traces((name + index) % 2, project, name, name)));
    }
    for (const [index, seen] of (await following).entries()) {
      expect(seen.map(({ id }) => id)).toEqual(range(1, COUNT));
      const named = seen.map(({ data }) => (JSON.parse(data) as { trace: { name: string } }).trace.name);
      expect([index, named]).toEqual([index, range(1, COUNT).map((name) => `t${name}`)]);
    }
    await until(() => said('Redis is reached again') === 2 * servers.length);
  });

  it('ignore what others write to the channel', async () => {
    const live = await listen(0, 'strange');
    const { createClient } = await import('redis');
    const stranger = createClient({ url: redis.url });
    await stranger.connect();
    for (const text of [
      '',
      'x',
      '{}',
      '{"instance":1}',
      '{"instance":"x","events":{"projectId":"strange","lastSeq":0}}',
      '{"instance":"x","events":{"projectId":"strange","lastSeq":1}}\n{"type":"cleared"}',
    ])
      await stranger.publish('spandrel:events:0', text);
    await stranger.close();
    await traces(1, 'strange', 1, 2);
    await live.has(2);
    expect(live.ids).toEqual([1, 2]);
  });
});

describeWith('redis-server', 'an instance whose Redis is not there', () => {
  it('starts all the same and delivers its own events', async () => {
    const redis = await makeRedis();
    const [server, other] = await startTwo('absent', redis.url);
    const live = await EventClient.open(server!.url);
    const there = await EventClient.open(other!.url);
    await server!.api.post('/api/traces', { name: 'here' });
    await live.has(1, 2_000);
    await redis.start();
    await there.has(1);
    live.close();
    there.close();
    await server!.close();
    await other!.close();
    await redis.crash();
  });
});

describeWith('redis-server', 'two servers with databases of their own and one Redis', () => {
  it('hear nothing of each other', async () => {
    const redis = await makeRedis();
    await redis.start();
    const start = () =>
      startServerApp(
        { dialect: 'sqlite', file: join(tempDir(), 'spandrel.db') },
        { settings: (settings) => void (settings.core.redisUrl = redis.url) },
      );
    const [server, other] = await Promise.all([start(), start()]);
    const live = await EventClient.open(server!.url);
    const there = await EventClient.open(other!.url);
    for (const name of ['a', 'b']) await other!.api.post('/api/traces', { name });
    await there.has(2);
    await sleep(500);
    await server!.api.post('/api/traces', { name: 'c' });
    await live.has(1);
    expect(live.events.map(({ id, data }) => ({ id, name: JSON.parse(data).trace.name }))).toEqual([
      { id: 1, name: 'c' },
    ]);
    live.close();
    there.close();
    await server!.close();
    await other!.close();
    await redis.crash();
  });
});
