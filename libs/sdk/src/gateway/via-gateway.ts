import { checkedBase } from '../api/http.js';
import type { GatewayFetch } from './gateway-fetch.js';

/** What clients of openai and @anthropic-ai/sdk have in common. */
interface ModelClient {
  baseURL: string;
  fetch?: typeof fetch;
  withOptions(options: { baseURL: string; fetch: typeof fetch }): unknown;
}

interface OllamaClient {
  config: { host: string; headers?: unknown };
  fetch?: typeof fetch;
  constructor: new (config: { host: string; fetch: typeof fetch; headers?: unknown }) => unknown;
}

export type KnownClient = ModelClient | OllamaClient;

const OPENAI_BASE = 'https://api.openai.com/v1';
const ANTHROPIC_BASE = 'https://api.anthropic.com';
const OLLAMA_BASES = ['http://127.0.0.1:11434', 'http://localhost:11434'];

/** Where a client calls, and where it is to call instead. */
interface Route {
  from: string;
  to: string;
  /** Headers for the gateway alone. */
  forGateway: Record<string, string>;
}

/**
 * @param client of openai, @anthropic-ai/sdk or ollama.
 * @param gatewayUrl base URL of the gateway.
 * @returns a copy of the client with all of its settings, which calls through the gateway and is recorded there. Where the
 *   client has a base of its own, the gateway forwards to that (`X-Forward-URL`, `X-Ollama-Base`).
 * @throws TypeError when it is no such client.
 */
export function viaGateway<Client extends object>(client: Client, gatewayUrl: string, makeFetch: GatewayFetch): Client {
  const known = checkedClient(client);
  const { to, forGateway } = routeOf(known, gatewayUrl);
  return copyClient(known, to, makeFetch(known.fetch, forGateway)) as Client;
}

/**
 * @param client of openai, @anthropic-ai/sdk or ollama.
 * @param makeFetch gives what the calls of the copy go out by, wherever the gateway is found to be.
 * @returns a copy of the client with all of its settings, which calls where the client does.
 * @throws TypeError when it is no such client.
 */
export function viaFoundGateway<Client extends object>(
  client: Client,
  makeFetch: (known: KnownClient) => typeof fetch,
): Client {
  const known = checkedClient(client);
  return copyClient(known, baseOf(known), makeFetch(known)) as Client;
}

function checkedClient(client: object): KnownClient {
  if (isOllama(client) || isModelClient(client)) return client;
  throw new TypeError('viaGateway takes a client of openai, @anthropic-ai/sdk or ollama');
}

const baseOf = (client: KnownClient): string =>
  isOllama(client) ? client.config.host : client.baseURL.replace(/(?<!\/)\/+$/, '');

/** @param gatewayUrl base URL of the gateway. @returns where the calls of a client go. */
export function routeOf(client: KnownClient, gatewayUrl: string): Route {
  const gateway = checkedBase(gatewayUrl);
  const from = baseOf(client);
  const { origin, pathname } = new URL(from);
  if (origin === new URL(gateway).origin) return { from, to: from, forGateway: {} };
  if (isOllama(client)) {
    return { from, to: gateway, forGateway: OLLAMA_BASES.includes(from) ? {} : { 'X-Ollama-Base': from } };
  }
  // What the address of a call ends in shows the gateway its format, so that the path of the base stays in front of it.
  const to = gateway + (pathname === '/' ? '' : pathname);
  const isKnown = from === OPENAI_BASE || from === ANTHROPIC_BASE;
  return { from, to, forGateway: isKnown ? {} : { 'X-Forward-URL': origin } };
}

function copyClient(client: KnownClient, base: string, fetched: typeof fetch): unknown {
  if (!isOllama(client)) return client.withOptions({ baseURL: base, fetch: fetched });
  const { config, constructor: Ollama } = client;
  return new Ollama({ ...config, host: base, fetch: fetched });
}

const isModelClient = (client: object): client is ModelClient =>
  'baseURL' in client &&
  typeof client.baseURL === 'string' &&
  'withOptions' in client &&
  typeof client.withOptions === 'function';

const isOllama = (client: object): client is OllamaClient =>
  'config' in client && typeof (client.config as { host?: unknown } | undefined)?.host === 'string' && 'chat' in client;
