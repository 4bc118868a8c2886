import { connect } from 'node:net';
import { Body, Controller, Get, HttpCode, Module, Post, Query } from '@nestjs/common';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jsonValueSchema, limitSchema } from '@spandrel/contract';
import { z } from 'zod';
import { Readiness, loadSettings, Conflict, Unavailable, defineFeature, createLogger } from '@spandrel/kernel';
import { createHttpApp } from './create-http-app.js';
import { Operation } from './operation.js';
import { BodyStream, StreamsBody, type StreamedBody } from './request-bodies.js';

/** What the description wants of every route. */
const Probe = (id: string) => Operation({ id, summary: id, access: 'open', answer: z.unknown() });

@Controller('api/probe')
class ProbeController {
  @Post()
  @Probe('echo')
  echo(@Body({ schema: z.object({ name: z.string(), value: jsonValueSchema.optional() }) }) body: unknown) {
    return body;
  }

  @Post('act')
  @HttpCode(200)
  @Probe('act')
  act(@Body({ schema: z.object({ note: z.string().nullish() }) }) body: unknown) {
    return { done: true, body };
  }

  @Get()
  @Probe('list')
  list(@Query({ schema: z.object({ limit: limitSchema() }) }) query: unknown) {
    return query;
  }

  @Post('stream')
  @StreamsBody()
  @Operation({
    id: 'stream',
    summary: 'stream',
    access: 'open',
    answer: z.unknown(),
    body: { mediaTypes: ['text/csv'], description: 'Anything.' },
  })
  async stream(@BodyStream() { stream, ...about }: StreamedBody) {
    let bytes = 0;
    for await (const chunk of stream) bytes += (chunk as Buffer).length;
    return { bytes, ...about };
  }

  @Get('conflict')
  @Probe('conflict')
  conflict() {
    throw new Conflict('id_conflict', 'the id is taken');
  }

  @Get('down')
  @Probe('down')
  down() {
    throw new Unavailable('the disk is full', { cause: new Error('SQLITE_FULL /secret/path') });
  }

  @Get('bug')
  @Probe('bug')
  bug() {
    throw new Error('SELECT secret FROM /etc/passwd');
  }
}

@Module({ controllers: [ProbeController] })
class ProbeModule {}

let app: NestFastifyApplication;
let port: number;

beforeAll(async () => {
  const settings = loadSettings([], { args: [], env: {}, cwd: '/' });
  settings.core.bodyBytes = 2_000;
  settings.core.bodyValues = 300;
  settings.core.hstsSeconds = 600;
  app = await createHttpApp({
    settings,
    plugins: { providers: [], scorers: [], searchIndexes: [], readStores: [], dialects: [], maskers: [] },
    logger: createLogger('silent', 'test'),
    features: [defineFeature({ name: 'probe', module: ProbeModule, entities: [], requires: [] })],
    modules: [],
    gatewayUrl: () => 'http://127.0.0.1:4001',
  });
  await app.listen(0, '127.0.0.1');
  port = (app.getHttpServer().address() as { port: number }).port;
});
afterAll(() => app.close());

const call = async (path: string, init: RequestInit = {}) => {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: text === '' ? undefined : JSON.parse(text) };
};
const post = (
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = { 'content-type': 'application/json' },
) => call(path, { method: 'POST', body, headers });

describe('the HTTP application', () => {
  it('answers errors as problem+json with the request id', async () => {
    const { status, headers, json } = await call('/api/probe/conflict');
    expect(status).toBe(409);
    expect(headers.get('content-type')).toBe('application/problem+json');
    expect(json).toEqual({
      type: 'about:blank',
      title: 'The id is taken by another object',
      status: 409,
      detail: 'the id is taken',
      code: 'id_conflict',
      request_id: headers.get('x-request-id'),
    });
  });

  it('reveals nothing of what went wrong inside', async () => {
    const bug = await call('/api/probe/bug');
    expect([bug.status, bug.json.code]).toEqual([500, 'internal']);
    const down = await call('/api/probe/down');
    expect([down.status, down.json.code, down.headers.get('retry-after')]).toEqual([503, 'unavailable', '1']);
    expect(bug.text + down.text).not.toMatch(/secret|passwd|SELECT|SQLITE/);
  });

  it.each([
    ['an answer', 'GET /api/health HTTP/1.1\r\nHost: localhost'],
    ['an error of a route', 'GET /api/probe/conflict HTTP/1.1\r\nHost: localhost'],
    ['an unknown path', 'GET /api/nothing HTTP/1.1\r\nHost: localhost'],
    ['a wrong method', 'PUT /api/health HTTP/1.1\r\nHost: localhost'],
    ['a path that is none', 'GET /api/% HTTP/1.1\r\nHost: localhost'],
    ['a request from elsewhere', 'GET /api/health HTTP/1.1\r\nHost: evil.example'],
    ['a request of a page from elsewhere', 'GET /api/health HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: cross-site'],
    ['metrics', 'GET /metrics HTTP/1.1\r\nHost: localhost'],
  ])('lets nobody keep or reinterpret %s, and asks for https', async (_name, head) => {
    const answer = (await raw(`${head}\r\nConnection: close\r\n\r\n`))
      .split('\r\n\r\n')[0]!
      .toLowerCase()
      .split('\r\n');
    for (const header of [
      'x-content-type-options: nosniff',
      'cache-control: no-store',
      'cross-origin-resource-policy: same-origin',
      'strict-transport-security: max-age=600',
    ])
      expect(answer).toContain(header);
  });

  it('takes a well-formed X-Request-Id and makes one otherwise', async () => {
    expect((await call('/api/health', { headers: { 'x-request-id': 'abc-1' } })).headers.get('x-request-id')).toBe(
      'abc-1',
    );
    const made = (await call('/api/health', { headers: { 'x-request-id': 'a b' } })).headers.get('x-request-id');
    expect(made).toMatch(/^[0-9A-HJKMNP-TV-Z]{26}$/);
  });

  it.each([
    ['POST', '/v1/chat/completions', /right address is http:\/\/127\.0\.0\.1:4001\/v1\/chat\/completions /],
    ['POST', '/api/chat?x=1', /right address is http:\/\/127\.0\.0\.1:4001\/api\/chat /],
    ['GET', '/', /described at \/docs.*http:\/\/127\.0\.0\.1:4001, and exports of OpenTelemetry to \/v1\/traces$/],
    ['GET', '/probe/x', /the right one is \/api\/probe\/x$/],
  ])('says where %s %s belongs', async (method, path, detail) => {
    const { status, headers, json } = await call(path, { method, ...(method === 'POST' && { body: '{}' }) });
    expect([status, json.code, json.request_id]).toEqual([404, 'not_found', headers.get('x-request-id')]);
    expect(json.detail).toMatch(detail);
    expect(json.error?.message ?? json.error ?? json.detail).toBe(json.detail);
  });

  it('keeps values exactly', async () => {
    const body = String.raw`{"name":"n","value":{"__proto__":{"x":1},"constructor":9007199254740993,"nul":"\u0000\ud800"}}`;
    const { status, text } = await post('/api/probe', body);
    expect(status).toBe(201);
    expect(text).toBe(body);
  });

  it('lists one entry a fault', async () => {
    const { status, json } = await post('/api/probe', '{"name":7}');
    expect([status, json.code]).toEqual([400, 'validation_failed']);
    expect(json.errors).toEqual([{ path: 'name', message: 'must be a string, not a number' }]);
    const query = await call('/api/probe?limit=0');
    expect(query.json.errors).toEqual([{ path: 'limit', message: 'must be at least 1' }]);
  });

  it.each([
    ['not JSON', '{', 400, 'malformed_json'],
    ['invalid UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]), 400, 'malformed_json'],
    ['nested too deep', `{"name":"n","value":${'['.repeat(300)}${']'.repeat(300)}}`, 400, 'malformed_json'],
    ['a number out of range', '{"name":"n","value":1e400}', 400, 'malformed_json'],
    ['too large', JSON.stringify({ name: 'x'.repeat(3_000) }), 413, 'payload_too_large'],
    ['of too many values', JSON.stringify({ name: 'n', value: Array(300).fill(0) }), 413, 'payload_too_large'],
    ['no object', '[]', 400, 'validation_failed'],
    ['null', 'null', 400, 'validation_failed'],
  ])('refuses a body that is %s', async (_what, body, status, code) => {
    const answer = await post('/api/probe', body);
    expect([answer.status, answer.json.code]).toEqual([status, code]);
  });

  it('refuses other media types and compressed bodies', async () => {
    for (const headers of [
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/x-www-form-urlencoded' },
      { 'content-type': 'application/json', 'content-encoding': 'gzip' },
    ]) {
      const answer = await post('/api/probe', '{"name":"n"}', headers as Record<string, string>);
      expect([answer.status, answer.json.code]).toEqual([415, 'unsupported_media_type']);
    }
  });

  it('takes an absent body where nothing is required, with or without a media type', async () => {
    for (const headers of [
      {},
      { 'content-type': 'application/json' },
      { 'content-type': 'application/x-www-form-urlencoded' },
    ]) {
      const answer = await call('/api/probe/act', { method: 'POST', headers: headers as Record<string, string> });
      expect([answer.status, answer.json]).toEqual([200, { done: true, body: {} }]);
    }
    expect((await call('/api/probe', { method: 'POST' })).status).toBe(400);
    expect((await post('/api/probe/act', 'null')).status).toBe(400);
  });

  it('hands the body of a streamed route over unread, whatever its type and size', async () => {
    for (const type of ['application/json', 'text/csv; charset=utf-8', 'nonsense']) {
      const answer = await post('/api/probe/stream', '{'.repeat(10_000), { 'content-type': type });
      expect([answer.status, answer.json]).toEqual([201, { bytes: 10_000, contentType: type, length: 10_000 }]);
    }
    const headers = { 'content-disposition': 'attachment; filename="a"', 'content-encoding': 'Identity' };
    const bare = await call('/api/probe/stream', { method: 'POST', body: new Uint8Array(3), headers });
    expect(bare.json).toEqual({ bytes: 3, contentDisposition: 'attachment; filename="a"', length: 3 });
    const none = await call('/api/probe/stream', { method: 'POST' });
    expect(none.json).toMatchObject({ bytes: 0 });
  });

  it('takes no compressed body, and its own media type on no other route', async () => {
    for (const [path, headers] of [
      ['/api/probe/stream', { 'content-type': 'text/csv', 'content-encoding': 'gzip' }],
      ['/api/probe', { 'content-type': 'application/x.spandrel.streamed' }],
    ] as const) {
      const answer = await post(path, 'x'.repeat(5_000), headers as Record<string, string>);
      expect([path, answer.status, answer.json.code]).toEqual([path, 415, 'unsupported_media_type']);
    }
    const large = await post('/api/probe/act', JSON.stringify({ note: 'x'.repeat(5_000) }));
    expect([large.status, large.json.code]).toEqual([413, 'payload_too_large']);
  });

  it('answers unknown paths with 404', async () => {
    for (const path of ['/api/nothing', '/api/probe/', '/api//probe', '/api/probe/act/x']) {
      const answer = await call(path);
      expect([path, answer.status, answer.json.code]).toEqual([path, 404, 'not_found']);
    }
    expect((await call('/api/%ff')).json).toMatchObject({ status: 400, detail: expect.stringContaining('"%"') });
  });

  it.each([
    ['DELETE', '/api/probe', 'GET, HEAD, OPTIONS, POST'],
    ['PUT', '/api/probe?x=1', 'GET, HEAD, OPTIONS, POST'],
    ['GET', '/api/probe/act', 'OPTIONS, POST'],
    ['HEAD', '/api/probe/act', 'OPTIONS, POST'],
    ['POST', '/livez', 'GET, HEAD, OPTIONS'],
    ['POST', '/docs', 'GET, HEAD, OPTIONS'],
    ['PROPFIND', '/api/openapi.json', 'GET, HEAD, OPTIONS'],
  ])('answers %s %s with 405 and what is allowed', async (method, path, allow) => {
    const answer = await call(path, { method });
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, allow]);
    if (method === 'HEAD') return;
    const taken = allow.replace('OPTIONS, ', '').replace(', OPTIONS', '');
    expect(answer.json).toMatchObject({
      code: 'method_not_allowed',
      detail: `${path.split('?')[0]} does not take ${method}, but ${taken}`,
    });
  });

  it('answers OPTIONS with what is allowed', async () => {
    const answer = await call('/api/probe', { method: 'OPTIONS' });
    expect([answer.status, answer.text, answer.headers.get('allow')]).toEqual([204, '', 'GET, HEAD, OPTIONS, POST']);
    expect(answer.headers.get('x-request-id')).toMatch(/^\w{26}$/);
    expect((await call('/api/nothing', { method: 'OPTIONS' })).status).toBe(404);
  });

  it('refuses requests of web pages and rebound names', async () => {
    const origin = await call('/api/health', { headers: { origin: 'https://evil.example' } });
    expect([origin.status, origin.json.code]).toEqual([403, 'host_not_allowed']);
    expect(await raw('GET /api/health HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1\.1 403 /,
    );
  });

  it('answers what is not HTTP with a problem', async () => {
    const answer = await raw('GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('malformed_request');
    expect(answer).toContain('Cache-Control: no-store\r\n');
    expect(await raw(`GET / HTTP/1.1\r\nX: ${'x'.repeat(40_000)}\r\n\r\n`)).toMatch(/^HTTP\/1\.1 431 /);
  });

  it.each([
    ['no Host', ''],
    ['two Hosts', 'Host: localhost\r\nhost: localhost\r\n'],
  ])('answers HTTP/1.1 with %s with a problem', async (_name, hosts) => {
    const answer = await raw(`GET /api/health HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain('"code":"malformed_request"');
    expect(/"request_id":"(\w+)"/.exec(answer)?.[1]).toBe(/x-request-id: (\w+)/i.exec(answer)?.[1]);
  });

  it.each(['HTTP/1.0\r\n', 'HTTP/1.1\r\nHost: localhost\r\nExpect: wonders\r\n'])('serves %j', async (head) => {
    const answer = await raw(`GET /api/health ${head}Connection: close\r\n\r\n`);
    expect(answer).toMatch(/^HTTP\/1\.1 200 /);
    expect(answer).toMatch(/x-request-id: \w+/i);
  });

  it('is ready once it is said to be', async () => {
    expect((await call('/livez')).status).toBe(200);
    expect((await call('/readyz')).status).toBe(503);
    app.get(Readiness).ready = true;
    expect((await call('/readyz')).status).toBe(200);
    expect((await call('/api/health')).json).toMatchObject({
      status: 'ok',
      mode: 'local',
      version: expect.stringMatching(/^\d+\./),
    });
  });
});

function raw(request: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let answer = '';
  const socket = connect(port, '127.0.0.1', () => socket.write(request));
  socket
    .setEncoding('utf8')
    .on('data', (chunk) => (answer += chunk))
    .on('close', () => resolve(answer))
    .on('error', reject);
  return promise;
}
