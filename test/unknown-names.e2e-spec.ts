/** Names that no route knows, and what else a newcomer mistypes in a request (docs/spec/general.md#query-parameters). */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OpenApi, type OpenApiOperation } from '@spandrel/http';
import { Seeds } from './openapi/seeds.ts';
import { isThirdPartyPath } from './support/otlp-path.ts';
import { startServerApp, type ServerApp } from './support/server-app.ts';
import { tempDir } from './support/spandrel.ts';

let app: ServerApp;
let seeds: Seeds;
let routes: { method: string; path: string; operation: OpenApiOperation }[];

beforeAll(async () => {
  app = await startServerApp({ dialect: 'sqlite', file: join(tempDir(), 'spandrel.db') });
  seeds = await Seeds.plant(app.api);
  routes = Object.entries(app.app.get(OpenApi).document.paths)
    .filter(([path]) => !isThirdPartyPath(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    );
});
afterAll(() => app?.close());

const bodyFor = (method: string): string | undefined => (method === 'GET' ? undefined : '{}');

describe('a query parameter that a route does not know', () => {
  it('is refused by every route, before anything is done', async () => {
    const before = await app.api.get('/api/export/json');
    for (const { method, path } of routes) {
      const { status, body } = await app.api.send(method, `${seeds.fill(path)}?zzz_zzz=1`, bodyFor(method));
      expect([method, path, status, body.code]).toEqual([method, path, 400, 'validation_failed']);
      expect(body.detail).toMatch(/^zzz_zzz is not a query parameter of this route, which takes /);
      expect(body.errors![0]!.path).toBe('zzz_zzz');
    }
    expect(routes.length).toBeGreaterThan(50);
    expect((await app.api.get<{ exported_at?: string }>('/api/export/json')).body).toEqual({
      ...before.body,
      exported_at: expect.anything(),
    });
  });

  it('deletes nothing: DELETE /api/traces?session_id=only-this', async () => {
    const { status, body } = await app.api.delete('/api/traces?session_id=only-this');
    expect([status, body.detail]).toEqual([
      400,
      'session_id is not a query parameter of this route, which takes none; nothing was deleted',
    ]);
    const asBody = await app.api.send('DELETE', '/api/traces', '{"session_id":"only-this"}');
    expect([asBody.status, asBody.body.detail]).toEqual([
      400,
      'session_id is not taken: a delete has no body; nothing was deleted',
    ]);
    expect((await app.api.traces()).length).toBeGreaterThan(0);
  });

  it('lists nothing: GET /api/spans?modle=gpt', async () => {
    const { status, body } = await app.api.get('/api/spans?modle=gpt');
    expect([status, body.detail]).toEqual([400, 'modle is not a query parameter of this route; did you mean "model"?']);
  });

  it('is none of those that are documented, token of the events among them', async () => {
    for (const { method, path, operation } of routes) {
      for (const { name, in: place, schema } of operation.parameters ?? []) {
        if (place !== 'query') continue;
        const probe = method === 'GET' ? 'HEAD' : method;
        // Members of an object are parameters of their own.
        const sent = schema['type'] === 'object' ? `${name}.key` : name;
        const url = `${seeds.fill(path)}?${sent}=0&zzz_zzz=1`;
        const { body } = await app.api.send(method, url, bodyFor(method));
        expect([url, body.errors!.filter(({ message }) => message.includes('query parameter')).length]).toEqual([
          url,
          1,
        ]);
        expect((await app.api.send(probe, url, bodyFor(method))).status).toBe(400);
      }
    }
    expect((await app.api.send('HEAD', '/api/events?token=x')).status).toBe(200);
  });
});

describe('a member of a body that is ignored', () => {
  it('is named with the nearest known one: POST /api/traces {"nam": "x"}', async () => {
    const { status, headers, body } = await app.api.post<{ name: string | null }>('/api/traces', { nam: 'x' });
    expect([status, headers.get('x-spandrel-ignored'), body.name]).toEqual([201, 'nam (name?)', null]);
    expect((await app.api.post('/api/traces', { name: 'x' })).headers.get('x-spandrel-ignored')).toBeNull();
  });

  it('is named within items of an ingest and the config of a run', async () => {
    const span = { id: 'i1', trace_id: 'i', name: 's', inputs: 1, kind: { type: 'custom', any: 1 } };
    const ingested = await app.api.post('/api/ingest', { traces: [{ id: 'i', nmae: 'x' }], spans: [span], trace: [] });
    expect([ingested.status, ingested.headers.get('x-spandrel-ignored')]).toEqual([
      200,
      'traces[].nmae (name?), spans[].inputs (input?), trace (traces?)',
    ]);
    const started = await app.api.post(seeds.fill('/api/datasets/{id}/eval'), {
      name: 'r',
      config: { connection_id: seeds.member('connection_id'), model: 'm', temprature: 0, judge: { modle: 'x' } },
      scoring: 'None',
    });
    expect([started.status, started.headers.get('x-spandrel-ignored')]).toEqual([
      201,
      'config.temprature (temperature?), config.judge.modle (model?)',
    ]);
  });

  it('is documented for every route that reads JSON', () => {
    for (const { method, path, operation } of routes) {
      const [, answer] = Object.entries(operation.responses).find(([status]) => status < '300')!;
      const readsJson = !['GET', 'DELETE'].includes(method) && !/import/.test(path);
      expect([method, path, 'X-Spandrel-Ignored' in ((answer as { headers: object }).headers ?? {})]).toEqual([
        method,
        path,
        readsJson,
      ]);
    }
  });
});

describe('a method that a path does not take', () => {
  it('is 405 with those that it takes, on every path', async () => {
    const paths = new Set(routes.map(({ path }) => path));
    for (const path of paths) {
      const url = seeds.fill(path).replaceAll(/\{\w+\}/g, 'x');
      const fits = routes.filter((route) => new RegExp(`^${route.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(url));
      const taken = new Set(fits.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : method)));
      const allow = [...taken, 'OPTIONS'].toSorted().join(', ');
      for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'PROPFIND']) {
        if (taken.has(method)) continue;
        const { status, headers } = await app.api.send(method, url);
        expect([method, url, status, headers.get('allow')]).toEqual([method, url, 405, allow]);
      }
      const options = await app.api.send('OPTIONS', url);
      expect([url, options.status, options.headers.get('allow')]).toEqual([url, 204, allow]);
    }
  });
});

describe('the detail of a 400', () => {
  it.each([
    ['POST', '/api/spans', '{}', 'trace_id is required, and 1 more fault (see errors)'],
    ['POST', '/api/datasets', '{}', 'name is required'],
    ['POST', '/api/datasets', '{"nmae": "x"}', 'name is required'],
    ['POST', '/api/datasets', undefined, 'name is required'],
    ['POST', '/api/datasets', '{"name": ""}', 'name must not be empty'],
    ['POST', '/api/traces', '{"tags": "a"}', 'tags must be a list, not a string'],
    ['POST', '/api/traces', '{"started_at": "yesterday"}', 'started_at must be an ISO 8601 timestamp'],
    ['POST', '/api/spans', '{"trace_id":"t","name":"s","kind":{"type":"llm_call"}}', 'kind.model is required'],
    ['POST', '/api/traces', '[]', 'the body must be an object, not a list'],
    ['GET', '/api/spans?limit=5000', undefined, 'limit must be at most 1000'],
    ['GET', '/api/spans?limit=many', undefined, 'limit must be a whole number from 1 to 1000'],
    ['GET', '/api/spans?status=done', undefined, 'status must be "running", "completed" or "failed"'],
    ['GET', '/api/spans?status=failed&status=running', undefined, 'status must be given only once'],
    [
      'POST',
      '/api/search',
      '{"query":"x","filters":{"modle":"m"}}',
      'filters.modle is not a member of this object; did you mean "model"?',
    ],
    [
      'POST',
      '/api/traces',
      '{"name": "x",}',
      'not valid JSON at character 14: expected a member name in double quotes, found "}" (a comma may not be the last)',
    ],
    [
      'POST',
      '/api/traces',
      "{'name': 'x'}",
      `not valid JSON at character 2: expected a member name in double quotes, found "'" (JSON has double quotes alone)`,
    ],
    [
      'POST',
      '/api/traces',
      '{\n  "name": my-secret\n}',
      'not valid JSON at line 2, column 11: expected a value after ":", found a word without quotes',
    ],
  ])('%s %s with %s is %s', async (method, path, sent, detail) => {
    const { status, body } = await app.api.send(method, path, sent);
    expect([status, body.detail]).toEqual([400, detail]);
  });

  it('says which byte is no UTF-8', async () => {
    const answer = await fetch(`${app.url}/api/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: new Uint8Array([...Buffer.from('{"name":"ü'), 0xff, 0x22, 0x7d]),
    });
    expect(((await answer.json()) as { detail: string }).detail).toBe(
      'the body is not valid UTF-8: byte 12 belongs to no character',
    );
  });

  it('names the first fault of a rejected item', async () => {
    const { body } = await app.api.post<{ rejected: { message: string }[] }>('/api/ingest', { spans: [{ id: 'x' }] });
    expect(body.rejected[0]!.message).toBe('trace_id is required; name is required');
  });
});
