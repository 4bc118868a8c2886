/** What a module registers around handlers is called on every kind of route of the whole server (docs/adr/0059-nest-calls-its-handlers.md). */
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createLogger } from '@spandrel/kernel';
import { FEATURES, openServer, type OpenedServer } from '@spandrel/server';
import { testSettings } from '../support/server-app.ts';
import { tempDir } from '../support/spandrel.ts';
import { ASK_GUARD, calls, witnessFeature } from './witnesses.ts';

let server: OpenedServer;
let url: string;
let datasetId: string;

beforeAll(async () => {
  const settings = testSettings();
  server = await openServer(settings, {
    logger: createLogger('silent', 'test'),
    features: [...FEATURES, witnessFeature],
    database: { dialect: 'sqlite', file: join(tempDir(), 'spandrel.db') },
  });
  await server.app.listen({ port: 0, host: '127.0.0.1' });
  url = `http://127.0.0.1:${(server.app.getHttpServer().address() as AddressInfo).port}`;
  const made = await fetch(`${url}/api/datasets`, { method: 'POST', ...json({ name: 'some' }) });
  ({ id: datasetId } = (await made.json()) as { id: string });
});
afterAll(() => server.close());
beforeEach(() => void calls.splice(0));

const json = (body: object): RequestInit => ({
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

function form(): RequestInit {
  const body = new FormData();
  body.append('file', new Blob(['{"input":"a"}\n']), 'some.jsonl');
  return { body };
}

const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
const PROTOBUF = { 'content-type': 'application/x-protobuf' };

/** By kind: method, path, the rest of the request, status. */
const ROUTES: Record<string, [string, () => string, RequestInit, number]> = {
  'plain JSON': ['GET', () => '/api/datasets', {}, 200],
  'JSON that is stored as text': ['GET', () => '/api/spans', {}, 200],
  HEAD: ['HEAD', () => '/api/spans', {}, 200],
  'a body of JSON': ['POST', () => '/api/traces', json({ name: 't' }), 201],
  'a streamed export': ['GET', () => `/api/datasets/${datasetId}/export?format=jsonl`, {}, 200],
  'an export of everything': ['GET', () => '/api/export/json', {}, 200],
  'a stream of events': ['GET', () => '/api/events', {}, 200],
  "events by Nest's own decorator": ['GET', () => '/api/witness/events', {}, 200],
  'an import from a form': ['POST', () => `/api/datasets/${datasetId}/import`, form(), 201],
  'an export of OpenTelemetry': ['POST', () => '/v1/traces', { headers: PROTOBUF, body: new Uint8Array() }, 200],
  'the Model Context Protocol': ['POST', () => '/mcp', json(rpc), 200],
  'no content': ['DELETE', () => '/api/witness', {}, 204],
};

/** Sends a request; an answer that goes on is broken off. */
async function ask(kind: string, guard = ''): Promise<{ status: number; text: string }> {
  const [method, path, init] = ROUTES[kind]!;
  const ending = new AbortController();
  const headers = { ...(init.headers as Record<string, string> | undefined), [ASK_GUARD]: guard };
  const response = await fetch(`${url}${path()}`, { ...init, method, headers, signal: ending.signal });
  const isEndless = path() === '/api/events' && response.status === 200;
  const text = isEndless ? '' : await response.text();
  ending.abort();
  return { status: response.status, text };
}

const AROUND = ['middleware', 'guard', 'interceptor', 'pipe'].flatMap((what) => [
  `${what} of package`,
  `${what} of feature`,
]);

describe.each(Object.keys(ROUTES))('a route of %s', (kind) => {
  it('has middleware, guards, interceptors and pipes of modules called', async () => {
    const { status } = await ask(kind);
    expect([status, [...new Set(calls)].toSorted()]).toEqual([ROUTES[kind]![3], AROUND.toSorted()]);
    const first = [...new Set(calls)].map((call) => call.split(' ')[0]);
    expect([...new Set(first)]).toEqual(['middleware', 'guard', 'interceptor', 'pipe']);
  });

  it.each(['feature', 'package'])('is refused by a guard of a %s', async (name) => {
    const { status, text } = await ask(kind, `refuse ${name}`);
    expect([status, calls.filter((call) => call.startsWith('interceptor'))]).toEqual([403, []]);
    if (kind !== 'HEAD') expect(text).toContain('this request is not allowed');
  });

  it.each(['feature', 'package'])('has errors taken by the filter of a %s', async (name) => {
    const { status, text } = await ask(kind, `fail ${name}`);
    expect([status, calls.at(-1)]).toEqual([418, `filter of ${name}`]);
    if (kind !== 'HEAD') expect(JSON.parse(text)).toEqual({ caught: name });
  });
});
