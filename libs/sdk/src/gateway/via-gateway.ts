import { checkedBase } from '../api/checked-base.js';
import type { GatewayFetch } from './gateway-fetch.js';

/** What clients of openai and @anthropic-ai/sdk have in common. */
interface ModelClient {
  baseURL: string;
  fetch?: typeof fetch;
  withOptions(options: { baseURL: string; fetch: typeof fetch }): unknown;
}

/** A client of ollama. */
interface OllamaClient {
  config: { host: string; headers?: unknown };
  fetch?: typeof fetch;
  constructor: new (config: { host: string; fetch: typeof fetch; headers?: unknown }) => unknown;
}

const OPENAI_BASE = 'https://api.openai.com/v1';
const ANTHROPIC_BASE = 'https://api.anthropic.com';
const OLLAMA_BASES = ['http://127.0.0.1:11434', 'http://localhost:11434'];

/**
 * @param client of openai, @anthropic-ai/sdk or ollama.
 * @param gatewayUrl base URL of the gateway.
 * @returns a copy of the client with all of its settings, which calls through the gateway and is recorded there. Where the
 *   client has a base of its own, the gateway forwards to that (`X-Forward-URL`, `X-Ollama-Base`).
 * @throws TypeError when it is no such client.
 */
export function viaGateway<Client extends object>(client: Client, gatewayUrl: string, makeFetch: GatewayFetch): Client {
  const gateway = checkedBase(gatewayUrl);
  const isAtGateway = (base: string): boolean => new URL(base).origin === new URL(gateway).origin;
  if (isOllama(client)) {
    const { host } = client.config;
    if (isAtGateway(host)) return withFetch(client, host, makeFetch(client.fetch)) as Client;
    const named: Record<string, string> = OLLAMA_BASES.includes(host) ? {} : { 'X-Ollama-Base': host };
    return withFetch(client, gateway, makeFetch(client.fetch, named)) as Client;
  }
  if (!isModelClient(client)) {
    throw new TypeError('viaGateway takes a client of openai, @anthropic-ai/sdk or ollama');
  }
  const own = client.baseURL.replace(/(?<!\/)\/+$/, '');
  const copy = (baseURL: string, forward: Record<string, string> = {}): Client =>
    client.withOptions({ baseURL, fetch: makeFetch(client.fetch, forward) }) as Client;
  if (isAtGateway(own)) return copy(own);
  // What the address of a call ends in shows the gateway its format, so that the path of the base stays in front of it.
  const { origin, pathname } = new URL(own);
  const baseURL = gateway + (pathname === '/' ? '' : pathname);
  return own === OPENAI_BASE || own === ANTHROPIC_BASE ? copy(baseURL) : copy(baseURL, { 'X-Forward-URL': origin });
}

const withFetch = ({ config, constructor: Ollama }: OllamaClient, host: string, fetched: typeof fetch): unknown =>
  new Ollama({ ...config, host, fetch: fetched });

const isModelClient = (client: object): client is ModelClient =>
  'baseURL' in client &&
  typeof client.baseURL === 'string' &&
  'withOptions' in client &&
  typeof client.withOptions === 'function';

const isOllama = (client: object): client is OllamaClient =>
  'config' in client && typeof (client.config as { host?: unknown } | undefined)?.host === 'string' && 'chat' in client;
