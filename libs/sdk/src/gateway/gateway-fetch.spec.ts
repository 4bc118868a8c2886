import { describe, expect, it } from '@jest/globals';
import { gatewayFetch, type GatewaySettings } from './gateway-fetch.js';
import { viaGateway } from './via-gateway.js';

const TRACE = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', 'X-Spandrel-User-Id': 'anna' };
const GATEWAY = 'http://gateway.test:3001';

interface Sent {
  url: string;
  method: string;
  headers: Record<string, string>;
  body: unknown;
}

/** @param redirects status and target by the address that answers with it; all others answer 200. */
function fetchWith(
  settings: Partial<GatewaySettings> = {},
  redirects: Record<string, [status: number, location: string]> = {},
) {
  const sent: Sent[] = [];
  const network = (async (input: string | URL | Request, init?: RequestInit) => {
    const request = new Request(input, init);
    const { url, method } = request;
    sent.push({ url, method, headers: Object.fromEntries(request.headers), body: init?.body });
    const [status, location] = redirects[url] ?? [];
    if (init?.redirect === 'error' && location) throw new TypeError('fetch failed');
    return status ? new Response(null, { status, headers: { location: location! } }) : new Response('done');
  }) as typeof fetch;
  const make = gatewayFetch(
    {
      gatewayUrl: GATEWAY,
      apiKey: 'spn_sk_one',
      propagateTo: ['https://own.test/any/path'],
      fetch: network,
      ...settings,
    },
    { buildHeaders: () => TRACE },
  );
  return { make, sent, fetched: make() };
}

describe("the SDK's fetch", () => {
  it('gives the gateway the key and the trace', async () => {
    const { fetched, sent } = fetchWith();
    await fetched(`${GATEWAY}/v1/models`, { headers: { authorization: 'Bearer sk-model' } });
    expect(sent[0]!.headers).toEqual({
      authorization: 'Bearer sk-model',
      'x-spandrel-key': 'spn_sk_one',
      'x-spandrel-user-id': 'anna',
      traceparent: TRACE.traceparent,
    });
  });

  it('gives traceparent alone to an origin that it is to go to', async () => {
    const { fetched, sent } = fetchWith();
    await fetched(new URL('https://own.test/search?q=1'));
    expect(sent[0]!.headers).toEqual({ traceparent: TRACE.traceparent });
  });

  it.each([
    'https://api.openai.com/v1/models',
    'http://gateway.test/v1/models',
    'https://gateway.test:3001/',
    'https://own.test.evil.test/',
    'https://own.test:444/',
  ])('gives nothing to %s', async (url) => {
    const { fetched, sent } = fetchWith();
    await fetched(url, { method: 'POST', body: 'b' });
    expect(sent).toMatchObject([{ url, method: 'POST', headers: { 'content-type': 'text/plain;charset=UTF-8' } }]);
    expect(Object.keys(sent[0]!.headers)).toEqual(['content-type']);
  });

  it('leaves headers that the caller sets, of a Request too', async () => {
    const { fetched, sent } = fetchWith();
    const headers = { 'X-Spandrel-Key': 'spn_sk_other', 'X-Spandrel-User-Id': 'bert' };
    await fetched(new Request(`${GATEWAY}/v1/models`, { headers }));
    expect(sent[0]!.headers).toMatchObject({ 'x-spandrel-key': 'spn_sk_other', 'x-spandrel-user-id': 'bert' });
  });

  it('leaves out what no header can hold', async () => {
    const { make, sent } = fetchWith();
    await make(undefined, { 'X-Spandrel-Name': 'n', 'X-Spandrel-Tags': 'a\nb' })(`${GATEWAY}/v1/models`);
    expect(sent[0]!.headers).toMatchObject({ 'x-spandrel-name': 'n' });
    expect(sent[0]!.headers).not.toHaveProperty('x-spandrel-tags');
  });

  it('leaves what is no address to fetch', async () => {
    const { fetched } = fetchWith();
    await expect(fetched('no address')).rejects.toThrow(/URL/);
  });

  it.each(['gateway.test', ''])('refuses the gateway %j at once', (gatewayUrl) => {
    expect(() => fetchWith({ gatewayUrl })).toThrow('Invalid URL');
  });
});

describe('a redirect of a call to the gateway', () => {
  const CALL = `${GATEWAY}/v1/files/1`;

  it('takes neither key nor trace to another origin, nor credentials', async () => {
    const { fetched, sent } = fetchWith({}, { [CALL]: [302, 'https://files.test/1'] });
    const headers = { authorization: 'Bearer sk-model', accept: 'text/plain' };
    expect(await (await fetched(CALL, { headers })).text()).toBe('done');
    expect(sent.map(({ url }) => url)).toEqual([CALL, 'https://files.test/1']);
    expect(sent[1]!.headers).toEqual({ accept: 'text/plain' });
  });

  it('keeps them on the same origin', async () => {
    const { fetched, sent } = fetchWith({}, { [CALL]: [307, '/v1/files/2'] });
    await fetched(CALL, { method: 'POST', body: '{}', headers: { authorization: 'Bearer sk-model' } });
    const { authorization, 'x-spandrel-key': key } = sent[1]!.headers;
    expect(sent[1]).toMatchObject({ url: `${GATEWAY}/v1/files/2`, method: 'POST', body: '{}' });
    expect({ authorization, key }).toEqual({ authorization: 'Bearer sk-model', key: 'spn_sk_one' });
  });

  it.each([
    [301, 'POST', 'GET'],
    [302, 'POST', 'GET'],
    [303, 'PUT', 'GET'],
    [303, 'HEAD', 'HEAD'],
    [302, 'PUT', 'PUT'],
    [308, 'POST', 'POST'],
  ])('%d of a %s is followed by a %s, as fetch does', async (status, method, then) => {
    const { fetched, sent } = fetchWith({}, { [CALL]: [status, 'https://files.test/1'] });
    const body = method === 'HEAD' ? null : 'b';
    await fetched(CALL, { method, body });
    expect(sent[1]).toMatchObject({ method: then, body: then === 'GET' ? null : body });
  });

  it('is left to the caller who wants to see it, or none', async () => {
    const { fetched, sent } = fetchWith({}, { [CALL]: [302, 'https://files.test/1'] });
    expect((await fetched(CALL, { redirect: 'manual' })).status).toBe(302);
    await expect(fetched(CALL, { redirect: 'error' })).rejects.toThrow(TypeError);
    expect(sent).toHaveLength(2);
  });

  it.each([
    ['without end', CALL, 'b'],
    ['to no http address', 'file:///etc/passwd', 'b'],
    ['of a stream', 'https://files.test/1', new ReadableStream()],
  ])('fails %s', async (_name, location, body) => {
    const { fetched, sent } = fetchWith({}, { [CALL]: [307, location] });
    const init: RequestInit = { method: 'POST', body, duplex: 'half' };
    await expect(fetched(CALL, init)).rejects.toThrow('fetch failed');
    expect(sent.length).toBeLessThan(22);
  });
});

/** A client as those of openai and @anthropic-ai/sdk are, which calls a path behind its base. */
class ModelClient {
  constructor(readonly options: { baseURL: string; fetch?: typeof fetch; apiKey?: string }) {}
  get baseURL(): string {
    return this.options.baseURL;
  }
  get fetch(): typeof fetch | undefined {
    return this.options.fetch;
  }
  withOptions(options: object): ModelClient {
    return new ModelClient({ ...this.options, ...options });
  }
}

/** A client as ollama's is. */
class OllamaClient {
  fetch: typeof fetch | undefined;
  constructor(readonly config: { host: string; headers?: object; fetch?: typeof fetch }) {
    this.fetch = config.fetch;
  }
  async chat(): Promise<void> {}
}

/** What a client's copy calls, and the headers that the gateway gets beside those of all calls. */
function copyOf<Client extends object>(client: Client): { copy: Client; forGateway: object; send: unknown } {
  let given: { send: unknown; forGateway: object } | undefined;
  const copy = viaGateway(client, `${GATEWAY}/`, (send, forGateway = {}) => {
    given = { send, forGateway };
    return fetch;
  });
  return { copy, ...given! };
}

describe('viaGateway', () => {
  it.each([
    ['https://api.openai.com/v1', `${GATEWAY}/v1`, {}],
    ['https://api.openai.com/v1/', `${GATEWAY}/v1`, {}],
    ['https://api.anthropic.com', GATEWAY, {}],
    ['https://llm.test/openai/v1', `${GATEWAY}/openai/v1`, { 'X-Forward-URL': 'https://llm.test' }],
    ['http://127.0.0.1:8080', GATEWAY, { 'X-Forward-URL': 'http://127.0.0.1:8080' }],
    [`${GATEWAY}/v1`, `${GATEWAY}/v1`, {}],
  ])('leads a client of %s to %s', (baseURL, expected, forGateway) => {
    const own: typeof fetch = async () => new Response();
    const client = new ModelClient({ baseURL, fetch: own, apiKey: 'sk-model' });
    const made = copyOf(client);
    expect(made.copy).not.toBe(client);
    expect(made).toMatchObject({ copy: { options: { baseURL: expected, apiKey: 'sk-model' } }, forGateway, send: own });
    expect(client.options.baseURL).toBe(baseURL);
  });

  it.each([
    ['http://127.0.0.1:11434', GATEWAY, {}],
    ['http://gpu.test:11434/ollama', GATEWAY, { 'X-Ollama-Base': 'http://gpu.test:11434/ollama' }],
    [GATEWAY, GATEWAY, {}],
  ])('leads a client of ollama at %s to %s', (host, expected, forGateway) => {
    const { copy, ...made } = copyOf(new OllamaClient({ host, headers: { a: 'b' } }));
    expect(copy.config).toMatchObject({ host: expected, headers: { a: 'b' } });
    expect(made).toMatchObject({ forGateway });
  });

  it.each([{}, { baseURL: 'https://api.openai.com/v1' }, { config: { host: 1 }, chat: 1 }, []])(
    'refuses %j, which is no client',
    (client) => {
      expect(() => copyOf(client)).toThrow('viaGateway takes a client of openai, @anthropic-ai/sdk or ollama');
    },
  );
});
