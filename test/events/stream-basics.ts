import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { EVENT_TYPES, type Problem } from '@spandrel/contract';
import { METRICS } from '@spandrel/kernel';
import type { Registry } from '@prometheus-io/client';
import { DomainEvents } from '@spandrel/events';
import { sendRaw } from '../support/raw-http.ts';
import { scopeOfProject } from '../support/in-process.ts';
import { until } from '../support/spandrel.ts';
import type { ServerApp } from '../support/server-app.ts';
import { EventClient, range, type ListenOptions } from './event-client.ts';

/** What every client of the stream sees; each test has a project of its own. */
export function describeStreamBasics(server: () => ServerApp): void {
  const clients: EventClient[] = [];
  afterEach(() => clients.splice(0).forEach((client) => client.close()));
  let project = '';
  let serial = 0;
  const listen = async (options: ListenOptions = {}): Promise<EventClient> => {
    const client = await EventClient.open(server().url, { project, ...options });
    clients.push(client);
    return client;
  };
  const freshProject = (): void => void (project = `basics-${serial++}`);
  const trace = async (name: string): Promise<void> => {
    const { status } = await server().api.send('POST', '/api/traces', { name }, { 'x-test-project': project });
    expect(status).toBe(201);
  };
  const traces = async (first: number, last: number): Promise<void> => {
    for (const n of range(first, last)) await trace(`t${n}`);
  };
  const names = (client: EventClient): unknown[] =>
    client.payloads.map((event) => (event.type === 'trace_created' ? event.trace.name : event.type));

  describe('the stream', () => {
    it('begins with retry, sends events as they happen, each with its number', async () => {
      freshProject();
      const client = await listen();
      expect(client.status).toBe(200);
      expect(client.headers).toMatchObject({
        'content-type': 'text/event-stream; charset=utf-8',
        'cross-origin-resource-policy': 'same-origin',
        'cache-control': 'no-store, no-transform',
        'x-accel-buffering': 'no',
      });
      expect(client.headers['x-request-id']).toMatch(/^[0-9A-Z]{26}$/);
      expect(client.headers['transfer-encoding']).toBeUndefined();
      await traces(1, 3);
      await client.has(3);
      expect(client.retryMs).toBe(2000);
      expect(client.text).toMatch(
        /^retry: 2000\n\nid: 1\nevent: message\ndata: \{"type":"trace_created","trace":\{[^\n]*\}\n\n/,
      );
      expect(client.ids).toEqual([1, 2, 3]);
      expect(names(client)).toEqual(['t1', 't2', 't3']);
      expect([...client.names]).toEqual(['message']);
    });

    it('sends nothing earlier to a client that asks for nothing', async () => {
      freshProject();
      await traces(1, 3);
      const client = await listen();
      await trace('t4');
      await client.has(1);
      expect(client.ids).toEqual([4]);
    });

    it('replays what was live, byte for byte, then goes on', async () => {
      freshProject();
      const live = await listen();
      await traces(1, 5);
      await live.has(5);
      const all = await listen({ query: 'since=0' });
      const some = await listen({ headers: { 'last-event-id': '3' } });
      await trace('t6');
      await Promise.all([live.has(6), all.has(6), some.has(3)]);
      expect(all.text).toBe(live.text);
      expect(some.events).toEqual(live.events.slice(3));
    });

    it('knows the projects apart', async () => {
      freshProject();
      const here = await listen({ query: 'since=0' });
      const there = await listen({ query: 'since=0', project: `${project}-other` });
      await trace('here');
      await here.has(1);
      await sleep(100);
      expect(there.events).toEqual([]);
    });

    it('goes live with a number beyond the newest, however large', async () => {
      freshProject();
      await traces(1, 2);
      const beyond = await Promise.all(
        ['3', '9007199254740993', '9'.repeat(400)].map((since) => listen({ query: `since=${since}` })),
      );
      await trace('t3');
      for (const client of beyond) {
        await client.has(1);
        expect(client.ids).toEqual([3]);
      }
    });

    it('takes the header before the query', async () => {
      freshProject();
      await traces(1, 4);
      const client = await listen({ query: 'since=0', headers: { 'last-event-id': '3' } });
      await client.has(1);
      await sleep(50);
      expect(client.ids).toEqual([4]);
    });

    it('sends the wanted types only, live and replayed', async () => {
      freshProject();
      const live = await listen({ query: 'types=dataset_created,cleared' });
      await trace('t1');
      await server().api.send('POST', '/api/datasets', { name: 'd' }, { 'x-test-project': project });
      await trace('t3');
      await server().api.send('DELETE', '/api/traces', undefined, { 'x-test-project': project });
      await live.has(2);
      const replayed = await listen({ query: 'types=cleared,dataset_created&since=0' });
      await replayed.has(2);
      expect(live.types).toEqual(['dataset_created', 'cleared']);
      expect(live.ids).toEqual([2, 4]);
      expect(replayed.text).toBe(live.text);
    });

    it('does not let a line break within an event end it', async () => {
      freshProject();
      const live = await listen();
      await trace('a\n\nid: 99\ndata: {"type":"cleared"}\n\n\r\r\u2028');
      const events = server().app.get(DomainEvents);
      await server().storage.write((tx) =>
        events.emitWire(tx, scopeOfProject(project), [{ type: 'cleared', json: '{"type":"cleared"\n\r\n}\n\n' }]),
      );
      await live.has(2);
      await sleep(50);
      expect(live.ids).toEqual([1, 2]);
      expect(live.types).toEqual(['trace_created', 'cleared']);
    });

    it('reports committed changes only', async () => {
      freshProject();
      const live = await listen();
      const events = server().app.get(DomainEvents);
      const failed = server().storage.write(async (tx) => {
        await events.emit(tx, scopeOfProject(project), { type: 'cleared' });
        throw new Error('rolled back');
      });
      await expect(failed).rejects.toThrow('rolled back');
      const late = server().storage.write(async (tx) => {
        await events.emit(tx, scopeOfProject(project), { type: 'cleared' });
        tx.end.beforeCommit(() => events.emit(tx, scopeOfProject(project), { type: 'cleared' }));
      });
      await expect(late).rejects.toThrow('emitted when');
      await trace('t1');
      await live.has(1);
      expect(live.types).toEqual(['trace_created']);
      expect(live.ids).toEqual([1]);
    });

    it('numbers the events of one transaction in several projects', async () => {
      freshProject();
      const projects = [`${project}-b`, `${project}-a`];
      const live = await Promise.all(projects.map((each) => listen({ project: each })));
      const events = server().app.get(DomainEvents);
      await server().storage.write(async (tx) => {
        for (const n of range(1, 3))
          for (const each of projects)
            await events.emit(tx, scopeOfProject(each), { type: 'span_deleted', span_id: `${each}-${n}` });
      });
      for (const [index, client] of live.entries()) {
        await client.has(3);
        expect(client.payloads).toEqual(
          range(1, 3).map((n) => ({ type: 'span_deleted', span_id: `${projects[index]}-${n}` })),
        );
        expect(client.ids).toEqual([1, 2, 3]);
      }
    });

    it('carries large transactions and large events, live and replayed', async () => {
      freshProject();
      const live = await listen();
      const events = server().app.get(DomainEvents);
      const texts = range(1, 1_000).map((n) => `${n}-${'ä'.repeat(n === 700 ? 1_500_000 : n % 300)}`);
      await server().storage.write((tx) =>
        events.emit(
          tx,
          scopeOfProject(project),
          ...texts.map((text) => ({ type: 'span_deleted' as const, span_id: text })),
        ),
      );
      await live.has(texts.length);
      const replayed = await listen({ query: 'since=0' });
      const middle = await listen({ query: 'since=834' });
      await Promise.all([replayed.has(texts.length), middle.has(texts.length - 834)]);
      expect(live.payloads.map((event) => (event as { span_id: string }).span_id)).toEqual(texts);
      expect(replayed.text === live.text).toBe(true);
      expect(middle.events).toEqual(live.events.slice(834));
    });
  });

  describe('a request', () => {
    it.each([
      ['since=-1'],
      ['since='],
      ['since=1.5'],
      ['since=1e3'],
      ['since=abc'],
      ['since=%201'],
      ['since=0x10'],
      ['since=1&since=2'],
    ])('with ?%s is refused', async (query) => {
      const { status, body } = await server().api.get<Problem>(`/api/events?${query}`);
      expect(status).toBe(400);
      expect(body).toMatchObject({ code: 'validation_failed', errors: [{ path: 'since' }] });
    });

    it.each(['-1', '', 'x', '1.0', '+1', '1,2', '१'])('with Last-Event-ID %p is refused', async (value) => {
      const encoded = Buffer.from(value).toString('latin1');
      const { status, body } = await server().api.send('GET', '/api/events', undefined, { 'last-event-id': encoded });
      expect(status).toBe(400);
      expect(body).toMatchObject({ code: 'validation_failed', errors: [{ path: 'Last-Event-ID' }] });
    });

    it.each(['nothing', 'cleared,Cleared', '', 'cleared,'])(
      'for types=%s is refused, with the types there are',
      async (types) => {
        const { status, body } = await server().api.get<Problem>(`/api/events?types=${types}`);
        expect(status).toBe(400);
        expect(body.code).toBe('validation_failed');
        for (const type of EVENT_TYPES) expect(body.errors![0]!.message).toContain(type);
      },
    );

    it('may carry a token, which means nothing in local mode', async () => {
      freshProject();
      const client = await listen({ query: 'token=anything&since=0' });
      expect(client.status).toBe(200);
    });

    it('by HEAD gets the headers and no body', async () => {
      const { statuses, text } = await sendRaw(server().url, 'HEAD /api/events HTTP/1.1\r\nHost: localhost\r\n\r\n');
      expect(statuses).toEqual([200]);
      expect(text).toMatch(/content-type: text\/event-stream; charset=utf-8\r\n/i);
      expect(text.endsWith('\r\n\r\n')).toBe(true);
    });

    it('by HTTP/1.0 gets the same stream', async () => {
      freshProject();
      await trace('t1');
      const request = `GET /api/events?since=0 HTTP/1.0\r\nHost: localhost\r\nx-test-project: ${project}\r\n\r\n`;
      const { text } = await sendRaw(server().url, request);
      expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
      expect(text).not.toMatch(/transfer-encoding/i);
      expect(text).toMatch(/\r\n\r\nretry: 2000\n\nid: 1\nevent: message\ndata: \{"type":"trace_created".*\}\n\n$/);
    });

    it('behind another one on the same connection waits for its answer', async () => {
      freshProject();
      await trace('t1');
      const head = `HTTP/1.1\r\nHost: localhost\r\nx-test-project: ${project}\r\n\r\n`;
      const { text } = await sendRaw(server().url, `GET /api/traces ${head}GET /api/events?since=0 ${head}`);
      expect(text).toMatch(/"count":1.*HTTP\/1\.1 200 OK\r\n.*\r\n\r\nretry: 2000\n\nid: 1\nevent: message\n/s);
    });

    it('leaves nothing behind when its client goes', async () => {
      freshProject();
      const gauge = async (): Promise<number> => openStreams(server());
      const before = await gauge();
      const some = await Promise.all(range(1, 20).map(() => listen({ query: 'since=0' })));
      expect(await gauge()).toBe(before + 20);
      some.forEach((client) => client.close());
      await until(async () => (await gauge()) === before);
    });
  });
}

/** What the metric of open streams says. */
export async function openStreams(server: ServerApp): Promise<number> {
  return metric(server, 'spandrel_event_streams');
}

/** The value of a metric, all of its labels together. */
export async function metric(server: ServerApp, name: string): Promise<number> {
  const { values } = await server.app.get<Registry>(METRICS).getSingleMetric(name)!.get();
  return values.reduce((sum, { value }) => sum + value, 0);
}
