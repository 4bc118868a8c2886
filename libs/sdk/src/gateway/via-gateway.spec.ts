import { describe, expect, it } from '@jest/globals';
import { viaGateway } from './via-gateway.js';

const GATEWAY = 'http://gateway.test:3001';

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
