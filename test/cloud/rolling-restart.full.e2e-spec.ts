/** Servers restarted one after the other under load: no request fails, nothing is lost, a run and a listener go on. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { EvalRunResource, SpanResource, TraceResource } from '@spandrel/contract';
import { EventClient, range } from '../events/event-client.ts';
import { startFakeProvider, type FakeProvider } from '../fake-provider/start-fake-provider.ts';
import { Api } from '../support/api.ts';
import type { Tenant } from '../support/tenant.ts';
import { Fleet } from '../support/fleet.ts';
import { describeWith } from '../support/redis.ts';
import { until } from '../support/spandrel.ts';

const WRITERS = 4;
const ITEMS = 200;
/** Between the rounds of a writer: some request is under way nearly all the while, and the servers have time to start. */
const PAUSE_MS = 40;

let fleet: Fleet | undefined;
let provider: FakeProvider;
let tenant: Tenant;

beforeAll(async () => {
  provider = await startFakeProvider();
  fleet = await Fleet.start({ config: `connections: { allow_private: ['127.0.0.1'] }\n` });
  tenant = await fleet.createTenant({ name: 'Rolling' });
});

afterAll(async () => {
  await fleet?.stop();
  await provider.close();
});

describeWith('redis-server', 'a rolling restart of two servers', () => {
  it('fails no request, loses nothing, and lets runs and streams go on: who stops says so, and serves on until it is seen', async () => {
    const { balancer } = fleet!;
    const stopping = new AbortController();
    const listener = listen(balancer.url, stopping.signal);
    const runId = await startRun();
    const acknowledged = Array.from({ length: WRITERS }, (): string[] => []);
    const writers = acknowledged.map((ids, index) => write(`writer-${index}`, ids, stopping.signal));
    const eachWrites = async (more: number): Promise<void> => {
      const wanted = acknowledged.map((ids) => ids.length + more);
      await until(() => acknowledged.every((ids, index) => ids.length >= wanted[index]!), 20_000);
    };
    await eachWrites(5);
    for (const index of [0, 1]) {
      const { apiUrl } = fleet!.servers[index]!;
      expect(await createAt(apiUrl)).toEqual([201, 'keep-alive']);
      const ended = fleet!.end(index, 'SIGTERM');
      await until(async () => (await fetch(`${apiUrl}/readyz`)).status === 503);
      expect(await createAt(apiUrl)).toEqual([201, 'close']);
      expect(await ended).toBe(0);
      await fleet!.revive(index);
      await eachWrites(5);
    }
    stopping.abort();
    const written = await Promise.all(writers);
    expect(balancer.broken).toEqual([]);
    expect(written.flatMap(({ failures }) => failures)).toEqual([]);

    const { api } = tenant;
    for (const { trace, ids } of written) {
      const { body } = await api.get<{ trace: TraceResource; spans: SpanResource[] }>(`/api/traces/${trace}`);
      expect(body.trace).toMatchObject({ span_count: ids.length, status: 'completed' });
      expect(new Set(body.spans.map(({ id, status }) => `${id} ${status}`))).toEqual(
        new Set(ids.map((id) => `${id} completed`)),
      );
    }

    let run: EvalRunResource;
    await until(async () => {
      ({ body: run } = await api.get<EvalRunResource>(`/api/eval/${runId}`));
      return run.status === 'completed';
    });
    expect(run!).toMatchObject({ progress: ITEMS, failed_count: 0 });
    expect(provider.requests).toHaveLength(ITEMS);

    const last = (await api.post<{ id: string }>('/api/traces', {})).body.id;
    const { ids, text } = await replay(balancer.url, last);
    expect(ids).toEqual(range(1, ids.length));
    await until(() => listener.ids.length >= ids.length);
    expect(listener.ids).toEqual(ids);
    expect(text.match(/"type":"eval_started"/g)).toHaveLength(1);
  });
});

/** Creates a trace at one server. @returns its answer, and what it says of the connection. */
async function createAt(url: string): Promise<[number, string | null]> {
  const { status, headers } = await new Api(url).as(tenant.key).post('/api/traces', {});
  return [status, headers.get('connection')];
}

/**
 * Writes and reads in turn until asked to stop.
 * @param ids gets what was acknowledged.
 * @returns these, and what went wrong.
 */
async function write(trace: string, ids: string[], stopped: AbortSignal) {
  const api = tenant.api.unchecked;
  const failures: string[] = [];
  const call = async (method: string, path: string, body?: unknown): Promise<void> => {
    const said = await api.send(method, path, body).then(
      ({ status, body: problem }) => (status < 300 ? undefined : `${status} ${JSON.stringify(problem)}`),
      (error: Error) => String(error.cause ?? error),
    );
    if (said !== undefined) failures.push(`${method} ${path}: ${said}`);
  };
  await call('POST', '/api/traces', { id: trace });
  while (!stopped.aborted) {
    const id = `${trace}-${ids.length}`;
    await call('POST', '/api/spans', { id, trace_id: trace, name: 'n', input: 'x'.repeat(500) });
    await call('POST', `/api/spans/${id}/complete`, { output: 'y' });
    ids.push(id);
    await call('GET', `/api/spans/${id}`);
    await call('GET', `/api/traces?limit=5`);
    await pause(PAUSE_MS);
  }
  return { trace, ids, failures };
}

/** A run that takes as long as both restarts. */
async function startRun(): Promise<string> {
  const { api } = tenant;
  const { body: dataset } = await api.post<{ id: string }>('/api/datasets', { name: 'rolling' });
  const rows = range(1, ITEMS).map((row) => JSON.stringify({ input: `fake:slow:150 ${row}` }));
  await api.send('POST', `/api/datasets/${dataset.id}/import`, rows.join('\n'), {
    'content-type': 'application/x-ndjson',
  });
  const { body: connection } = await api.post<{ id: string }>('/api/provider-connections', {
    name: 'fake',
    provider: 'openai',
    api_key: 'k',
    base_url: `${provider.url}/v1`,
  });
  const { status, body } = await api.post<{ id: string }>(`/api/datasets/${dataset.id}/eval`, {
    name: 'rolling',
    scoring: 'None',
    config: { connection_id: connection.id, model: 'm' },
  });
  expect(status).toBe(201);
  return body.id;
}

/** Listens as a browser does: again from the last event it has, whenever the stream ends. */
function listen(url: string, stopped: AbortSignal): { ids: number[] } {
  const ids: number[] = [];
  const headers = { authorization: `Bearer ${tenant.key}` };
  const again = async (): Promise<void> => {
    for (;;) {
      const client = await EventClient.open(url, { headers: { ...headers, 'last-event-id': String(ids.at(-1) ?? 0) } });
      let taken = 0;
      while (client.isOpen) {
        await pause(20, undefined, { ref: false });
        ids.push(...client.ids.slice(taken));
        taken = client.ids.length;
      }
      ids.push(...client.ids.slice(taken));
      if (stopped.aborted) return;
    }
  };
  void again().catch(() => undefined);
  return { ids };
}

/** All events up to that of a trace. */
async function replay(url: string, trace: string): Promise<{ ids: number[]; text: string }> {
  const client = await EventClient.open(url, {
    query: 'since=0',
    headers: { authorization: `Bearer ${tenant.key}` },
  });
  await until(() => client.payloads.some((event) => event.type === 'trace_created' && event.trace.id === trace));
  client.close();
  return { ids: client.ids, text: client.text };
}
