import { describe, expect, it, jest } from '@jest/globals';
import { Spandrel } from '../spandrel.js';

const API = 'https://spandrel.test';
const GATEWAY = 'https://gateway.test';

/** A client as those of openai and @anthropic-ai/sdk are. */
class ModelClient {
  constructor(readonly options: { baseURL: string; fetch?: typeof fetch }) {}
  get baseURL(): string {
    return this.options.baseURL;
  }
  get fetch(): typeof fetch | undefined {
    return this.options.fetch;
  }
  withOptions(options: object): ModelClient {
    return new ModelClient({ ...this.options, ...options });
  }
  async ask(): Promise<string> {
    return (await (this.fetch ?? fetch)(`${this.baseURL}/chat/completions`, { method: 'POST', body: '{}' })).text();
  }
}

/** @param capabilities what the server answers when it is asked for them; what it throws when it is an error. */
function lab(capabilities: () => Response | Error, options: object = {}) {
  const calls: { url: string; headers: Record<string, string> }[] = [];
  const warnings: string[] = [];
  const asked = async (input: unknown, init?: RequestInit): Promise<Response> => {
    const url = String(input);
    calls.push({ url, headers: Object.fromEntries(new Headers(init?.headers)) });
    if (!url.endsWith('/api/capabilities')) return new Response('answer');
    const answer = capabilities();
    if (answer instanceof Error) throw answer;
    return answer;
  };
  const spandrel = new Spandrel({
    apiUrl: `${API}/api`,
    apiKey: 'key',
    fetch: asked as typeof fetch,
    onWarning: (sentence) => warnings.push(sentence),
    ...options,
  });
  const client = new ModelClient({ baseURL: 'https://llm.test/v1', fetch: asked as typeof fetch });
  return { spandrel, client, calls, warnings };
}

const naming = (gateway: unknown): Response => Response.json({ gateway_url: gateway });

describe('a gateway that no setting names', () => {
  it('is asked for at the server, once, and called', async () => {
    const { spandrel, client, calls, warnings } = lab(() => naming(`${GATEWAY}/`));
    const copy = spandrel.viaGateway(client);
    expect(copy).not.toBe(client);
    expect([await copy.ask(), await copy.ask()]).toEqual(['answer', 'answer']);
    expect(calls.map(({ url }) => url)).toEqual([
      `${API}/api/capabilities`,
      `${GATEWAY}/v1/chat/completions`,
      `${GATEWAY}/v1/chat/completions`,
    ]);
    expect(calls[0]!.headers).toMatchObject({ authorization: 'Bearer key' });
    expect(calls[1]!.headers).toMatchObject({ 'x-forward-url': 'https://llm.test', 'x-spandrel-key': 'key' });
    expect(warnings).toEqual([]);
  });

  it('gets the trace and the span that a call is made in', async () => {
    const { spandrel, client, calls } = lab(() => naming(GATEWAY));
    const copy = spandrel.viaGateway(client);
    const span = await spandrel.span('answer', async (open) => {
      await copy.ask();
      return open;
    });
    expect(calls.find(({ url }) => url.startsWith(GATEWAY))!.headers).toMatchObject({ traceparent: span.traceparent });
  });

  it.each<[string, () => Response | Error]>([
    ['the server knows of none', () => naming(null)],
    ['the server is of another program', () => new Response('<html>')],
    ['the key is refused', () => new Response('{}', { status: 401 })],
    ['the address is none', () => naming('nowhere')],
    ['the server is away', () => new TypeError('fetch failed')],
  ])('is none where %s: the client calls as it does, with one warning', async (_why, capabilities) => {
    const { spandrel, client, calls, warnings } = lab(capabilities);
    const copies = [spandrel.viaGateway(client), spandrel.viaGateway(client)];
    for (const copy of copies) expect(await copy.ask()).toBe('answer');
    expect(calls.map(({ url }) => url)).toEqual([
      `${API}/api/capabilities`,
      'https://llm.test/v1/chat/completions',
      'https://llm.test/v1/chat/completions',
    ]);
    expect(calls[1]!.headers).not.toHaveProperty('x-spandrel-key');
    expect(warnings).toEqual([expect.stringContaining('SPANDREL_GATEWAY_URL')]);
  });

  it('is asked for again after a minute', async () => {
    let gateway: string | null = null;
    const { spandrel, client, calls } = lab(() => naming(gateway));
    const copy = spandrel.viaGateway(client);
    await copy.ask();
    gateway = GATEWAY;
    const now = Date.now();
    const clock = jest.spyOn(Date, 'now').mockReturnValue(now + 61_000);
    try {
      // The call that asks again does not wait for the answer.
      await copy.ask();
      await copy.ask();
      expect(calls.at(-1)!.url).toBe(`${GATEWAY}/v1/chat/completions`);
    } finally {
      clock.mockRestore();
    }
  });

  it('does not make a client of what is none', () => {
    const { spandrel, calls } = lab(() => naming(GATEWAY));
    expect(() => spandrel.viaGateway({})).toThrow('viaGateway takes a client');
    expect(calls).toEqual([]);
  });
});
