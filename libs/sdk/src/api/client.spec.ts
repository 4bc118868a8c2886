import { describe, expect, it } from '@jest/globals';
import { createApi } from './client.js';
import type { Api } from './operation-types.js';
import type { Span, SpanOutline } from './schema.js';
import { SpandrelError } from './spandrel-error.js';

interface Sent {
  method: string;
  url: string;
  headers: Headers;
  body: unknown;
  redirect: string | undefined;
}

/** A client whose answers are given in their order, the last one again and again; an error is what `fetch` throws. */
function clientWith(answers: (Response | Error)[], url = 'http://spandrel.test:3000/'): Client {
  const sent: Sent[] = [];
  const waits: number[] = [];
  const api = createApi({
    url,
    key: 'spn_sk_one',
    fetch: async (target, init) => {
      const { method, headers, body, redirect } = init!;
      sent.push({ method: method!, url: String(target), headers: new Headers(headers), body, redirect });
      const answer = answers[Math.min(sent.length, answers.length) - 1]!;
      if (answer instanceof Error) throw answer;
      return answer.clone();
    },
    wait: async (ms) => void waits.push(ms),
  });
  return { api, sent, waits };
}
interface Client {
  api: Api;
  sent: Sent[];
  waits: number[];
}

const json = (body: unknown, status = 200, headers: Record<string, string> = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });
const problem = (status: number, code: string, more: object = {}, headers: Record<string, string> = {}): Response =>
  json({ type: 'about:blank', title: 'No', status, code, detail: `It is ${code}`, ...more }, status, headers);
const unreachable = (): Error =>
  new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:3000') });

const failureOf = async (call: Promise<unknown>): Promise<SpandrelError> => {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(SpandrelError);
  return error as SpandrelError;
};

describe('a method of the API', () => {
  it('fills the path, writes the query and shows the key', async () => {
    const { api, sent } = clientWith([json({ runs: [], next_cursor: null })], 'https://spandrel.test/behind/');
    const page = await api.listEvals({
      path: { id: 'a/b c' },
      query: { limit: 10, status: undefined, metadata: { branch: 'main', commit: '1&2' } },
    });
    expect(page.runs).toEqual([]);
    expect(sent).toMatchObject([
      {
        method: 'GET',
        url: 'https://spandrel.test/behind/api/datasets/a%2Fb%20c/eval?limit=10&metadata.branch=main&metadata.commit=1%262',
        redirect: 'manual',
      },
    ]);
    expect(sent[0]!.headers.get('authorization')).toBe('Bearer spn_sk_one');
    expect(sent[0]!.headers.get('content-type')).toBeNull();
  });

  it('repeats a parameter for each item of a list', async () => {
    const { api, sent } = clientWith([json({ traces: [], next_cursor: null })]);
    await api.listTraces({ query: { tag: ['a', 'b'] } });
    expect(sent[0]!.url).toBe('http://spandrel.test:3000/api/traces?tag=a&tag=b');
  });

  it('sends an object as JSON', async () => {
    const { api, sent } = clientWith([json({ id: 'd', name: 'capitals' }, 201)]);
    await api.createDataset({ body: { name: 'capitals' } });
    expect(sent[0]).toMatchObject({ method: 'POST', body: '{"name":"capitals"}' });
    expect(sent[0]!.headers.get('content-type')).toBe('application/json');
  });

  it('gives a file as the answer itself', async () => {
    const { api, sent } = clientWith([new Response('{"kind":1}\n')]);
    const answer = await api.exportDataset({ path: { id: 'd' }, query: { format: 'jsonl' } });
    expect(await answer.text()).toBe('{"kind":1}\n');
    expect(sent[0]!.headers.get('accept')).toBeNull();
  });

  it.each(['', '.', '..'])('refuses the id %j, which would be another path', async (id) => {
    const { api, sent } = clientWith([json({})]);
    await expect(api.deleteTrace({ path: { id } })).rejects.toThrow(
      new TypeError('path.id must be given, and neither empty nor dots alone'),
    );
    expect(sent).toEqual([]);
  });

  it('is loaded with the first call, and is no promise and no JSON by itself', async () => {
    const { api, sent } = clientWith([json({})]);
    expect(await api).toBe(api);
    expect(JSON.stringify({ api })).toBe('{"api":{}}');
    expect(String(api)).toBe('[object Object]');
    expect(sent).toEqual([]);
    const misspelt = api as unknown as { listTrace(): Promise<unknown> };
    await expect(misspelt.listTrace()).rejects.toThrow(new TypeError('the API has no operation "listTrace"'));
  });

  it('has types of its own', () => {
    const { api } = clientWith([]);
    const typed = [
      // @ts-expect-error the id is missing
      () => api.getTrace(),
      // @ts-expect-error limits are numbers
      () => api.listTraces({ query: { limit: 'ten' } }),
      // @ts-expect-error misspelt
      () => api.listTraces({ query: { limt: 10 } }),
      // @ts-expect-error misspelt, where there are two forms of the answer
      () => api.listSpans({ query: { limt: 10 } }),
      async () => (await api.listSpans()).spans.map((span: Span) => span.input),
      async () => (await api.listSpans({ query: { view: 'outline' } })).spans.map((span: SpanOutline) => span.id),
      // @ts-expect-error an outline has no input
      async () => (await api.listSpans({ query: { view: 'outline' } })).spans.map((span) => span.input),
      async () => {
        for await (const { input } of api.pages('listSpans', { query: { model: 'm' } })) return input;
        // @ts-expect-error not a list
        api.pages('getTrace', { path: { id: 't' } });
        return undefined;
      },
    ];
    expect(typed).toHaveLength(8);
  });
});

describe('a call that fails', () => {
  it('throws what the problem says', async () => {
    const errors = [{ path: 'name', message: 'must not be empty' }];
    const { api } = clientWith([problem(400, 'validation_failed', { errors }, { 'x-request-id': 'r1' })]);
    const error = await failureOf(api.createDataset({ body: { name: '' } }));
    expect(error).toMatchObject({
      ...{ name: 'SpandrelError', status: 400, code: 'validation_failed', detail: 'It is validation_failed' },
      ...{ requestId: 'r1', errors },
    });
    expect(error.message).toBe('It is validation_failed (validation_failed, 400)\nname: must not be empty');
  });

  it('reports that the server cannot be reached, after three more tries', async () => {
    const { api, sent, waits } = clientWith([unreachable()]);
    const error = await failureOf(api.getStats());
    expect(error).toMatchObject({ status: 0, code: 'unreachable', requestId: undefined, errors: [] });
    expect(error.message).toBe('http://spandrel.test:3000: connect ECONNREFUSED 127.0.0.1:3000 (unreachable)');
    expect(sent).toHaveLength(4);
    expect(waits).toHaveLength(3);
    waits.forEach((ms, at) => expect(ms).toBeLessThanOrEqual(500 * 2 ** at));
  });

  it.each([
    ['a redirect', new Response(null, { status: 302, headers: { location: 'https://elsewhere.test/' } })],
    ['a page', new Response('<html>\n  <h1>Welcome</h1>')],
    ['a page of a proxy', new Response('<h1>Not here</h1>', { status: 404 })],
  ])('reports that %s is not the API', async (_name, answer) => {
    const { api } = clientWith([answer]);
    const error = await failureOf(api.getStats());
    expect(error).toMatchObject({ status: answer.status, code: 'unexpected_answer' });
    expect(error.detail).toMatch(/redirects to https:\/\/elsewhere.test\/|<html> <h1>Welcome|Not here/);
  });

  it.each([408, 429, 500, 502, 503])('tries to read again after %d', async (status) => {
    const { api, sent } = clientWith([problem(status, 'unavailable'), json({ traces: 1 })]);
    expect(await api.getStats()).toEqual({ traces: 1 });
    expect(sent).toHaveLength(2);
  });

  it('waits as long as it is asked to, unless that is too long', async () => {
    const asked = clientWith([problem(429, 'rate_limited', {}, { 'retry-after': '7' }), json({})]);
    await asked.api.getStats();
    expect(asked.waits).toEqual([7000]);
    const tooLong = clientWith([problem(429, 'rate_limited', {}, { 'retry-after': '31' }), json({})]);
    expect(await failureOf(tooLong.api.getStats())).toMatchObject({ code: 'rate_limited', retryAfterMs: 31_000 });
    expect(tooLong.waits).toEqual([]);
  });

  it.each([400, 401, 404, 409])('does not try again after %d', async (status) => {
    const { api, sent } = clientWith([problem(status, 'not_found')]);
    await failureOf(api.getStats());
    expect(sent).toHaveLength(1);
  });

  it('sends again what makes something under a chosen id, and what it is asked to, nothing else', async () => {
    const tries = async (call: (api: Api) => Promise<unknown>): Promise<number> => {
      const { api, sent } = clientWith([unreachable()]);
      await failureOf(call(api));
      return sent.length;
    };
    expect(await tries((api) => api.createTrace({ body: { id: 'chosen', name: 'n' } }))).toBe(4);
    expect(await tries((api) => api.createTrace({ body: { name: 'n' } }))).toBe(1);
    expect(await tries((api) => api.deleteTrace({ path: { id: 'chosen' } }))).toBe(1);
    expect(await tries((api) => api.createTrace({ body: { name: 'n' }, retry: true }))).toBe(4);
    expect(await tries((api) => api.getStats({ retry: false }))).toBe(1);
    const body = new ReadableStream<Uint8Array>();
    expect(await tries((api) => api.raw('POST', '/api/import/json', { body, retry: true }))).toBe(1);
  });

  it('ends when it is aborted, with the reason', async () => {
    const reason = new Error('no longer needed');
    const aborted = AbortSignal.abort(reason);
    const { api, sent } = clientWith([Object.assign(new Error('aborted'), { name: 'AbortError' })]);
    await expect(api.getStats({ signal: aborted })).rejects.toBe(reason);
    expect(sent).toHaveLength(1);
  });

  it('ends when no answer comes in time', async () => {
    const api = createApi({
      url: 'http://spandrel.test',
      fetch: (_url, init) =>
        new Promise((_resolve, reject) => init!.signal!.addEventListener('abort', () => reject(init!.signal!.reason))),
    });
    const error = await failureOf(api.getStats({ timeoutMs: 1, retry: false }));
    expect(error).toMatchObject({ code: 'unreachable', detail: 'http://spandrel.test: no answer within 1 ms' });
  });
});

describe('pages', () => {
  it('asks for the next page when an item of it is wanted', async () => {
    const { api, sent } = clientWith([
      json({ spans: [{ id: '1' }, { id: '2' }], next_cursor: 'c1' }),
      json({ spans: [], next_cursor: 'c2' }),
      json({ spans: [{ id: '3' }], next_cursor: null }),
    ]);
    const seen: [id: string, requests: number][] = [];
    for await (const { id } of api.pages('listSpans', { query: { model: 'm' } })) seen.push([id, sent.length]);
    expect(seen).toEqual([
      ['1', 1],
      ['2', 1],
      ['3', 3],
    ]);
    expect(sent.map(({ url }) => new URL(url).search)).toEqual([
      '?model=m',
      '?model=m&cursor=c1',
      '?model=m&cursor=c2',
    ]);
  });
});

describe('raw', () => {
  it('gives the answer unread, also one without JSON', async () => {
    const { api } = clientWith([new Response('data: {}\n\n', { headers: { 'content-type': 'text/event-stream' } })]);
    const answer = await api.raw('GET', '/api/events', { query: { types: 'trace_created' } });
    expect(answer.bodyUsed).toBe(false);
  });

  it.each([
    ['bytes', new Uint8Array([1]), null],
    ['a text', 'a,b\n', 'application/json'],
    ['an object', { a: 1 }, 'application/json'],
    ['a list', [1], 'application/json'],
  ])('sends %s', async (_name, body, contentType) => {
    const { api, sent } = clientWith([json({})]);
    await api.raw('POST', '/api/x', { body });
    expect(sent[0]!.body).toEqual(contentType && typeof body !== 'string' ? JSON.stringify(body) : body);
    expect(sent[0]!.headers.get('content-type')).toBe(contentType);
  });

  it('leaves a media type and a credential of the caller', async () => {
    const { api, sent } = clientWith([json({})]);
    await api.raw('POST', '/api/x', { body: 'a,b', headers: { 'Content-Type': 'text/csv', Authorization: 'Basic x' } });
    expect(sent[0]!.headers.get('content-type')).toBe('text/csv');
    expect(sent[0]!.headers.get('authorization')).toBe('Basic x');
  });

  it('refuses a path that would change the host', async () => {
    const { api } = clientWith([json({})]);
    await expect(api.raw('GET', '@elsewhere.test/')).rejects.toThrow('must begin with a slash');
  });
});

it.each(['', 'spandrel.test', 'file:///etc', 'http://'])('a client of %j is refused at once', (url) => {
  expect(() => createApi({ url })).toThrow(new TypeError(`"${url}" is not an http or https URL`));
});

it('a client reads answers by the parser that it was given', async () => {
  const fetch = async (): Promise<Response> => new Response('{"id":"t","total":12345678901234567890}');
  const api = createApi({
    url: 'http://spandrel.test',
    fetch,
    parseJson: (text) => JSON.parse(text.replace(/\d{17,}/, '"$&"')),
  });
  expect(await api.getHealth()).toEqual({ id: 't', total: '12345678901234567890' });
});
