import { checkedBase } from '../api/http.js';

interface TraceHeaders {
  /** @returns `traceparent` and members of the trace; nothing where no trace is open. */
  buildHeaders(url: URL): Readonly<Record<string, string>>;
}

export interface GatewaySettings {
  /** Base URL of the gateway; nothing is sent to it when left out. */
  gatewayUrl?: string | undefined;
  apiKey?: string | undefined;
  /** Origins beside the gateway that get `traceparent`, and nothing else: `https://search.example.com`. */
  propagateTo?: readonly string[] | undefined;
  fetch?: typeof fetch | undefined;
}

/** @param send what the request goes out by; that of the settings when left out. @param forGateway further headers. */
export type GatewayFetch = (send?: typeof fetch, forGateway?: Readonly<Record<string, string>>) => typeof fetch;

/** The header by which the gateway knows whose call it is. */
const KEY_HEADER = 'X-Spandrel-Key';
const TRACE_HEADER = 'traceparent';

/**
 * @returns what makes a `fetch` that adds the key and the headers of the trace for the origin of the gateway, `traceparent`
 *   alone for the origins of `propagateTo`, and nothing for all others, redirects too. A header that the caller sets stays.
 *   What that `fetch` gives or throws is what `fetch` does.
 * @throws TypeError when an address of the settings is no URL.
 */
export function gatewayFetch(settings: GatewaySettings, traces: TraceHeaders): GatewayFetch {
  const { gatewayUrl, apiKey, propagateTo = [] } = settings;
  const gateway = gatewayUrl === undefined ? undefined : new URL(gatewayUrl).origin;
  const propagated = new Set(propagateTo.map((address) => new URL(address).origin));

  /** What to add to a call of an address; nothing where that is not known, so that the call is made all the same. */
  const addedTo = (url: URL, forGateway: Readonly<Record<string, string>>): [name: string, value: string][] => {
    const isGateway = url.origin === gateway;
    if (!isGateway && !propagated.has(url.origin)) return [];
    const ofTrace = Object.entries(traces.buildHeaders(url));
    if (!isGateway) return ofTrace.filter(([name]) => name.toLowerCase() === TRACE_HEADER);
    const key: [string, string][] = apiKey === undefined ? [] : [[KEY_HEADER, apiKey]];
    return [...ofTrace, ...key, ...Object.entries(forGateway)];
  };

  return (send, forGateway = {}) => {
    const fetched = async (input: string | URL | Request, init: RequestInit | undefined, followed: number) => {
      const out = send ?? settings.fetch ?? globalThis.fetch;
      const request = input instanceof Request ? input : undefined;
      const address = request?.url ?? String(input);
      const url = URL.canParse(address) ? new URL(address) : undefined;
      const added = url ? addedTo(url, forGateway) : [];
      const mode = init?.redirect ?? request?.redirect ?? 'follow';
      if (added.length === 0 && followed === 0) return out(input as string, init);
      const given = new Headers(init?.headers ?? request?.headers);
      const headers = new Headers(given);
      for (const [name, value] of added) if (!headers.has(name)) setHeader(headers, name, value);
      if (mode !== 'follow') return out(input as string, { ...init, headers });
      // Followed here, since `fetch` would take what was added along to wherever the redirect leads.
      const answer = await out(input as string, { ...init, headers, redirect: 'manual' });
      if (answer.status < 300 || answer.status >= 400) return answer;
      const { followedRedirect } = await import('./followed-redirect.js');
      const next = followedRedirect(answer, url!, { ...init, headers: given }, request, followed);
      if (!next) return answer;
      await answer.body?.cancel();
      return fetched(next.url, next.init, followed + 1);
    };
    return ((input, init) => fetched(input as string, init, 0)) as typeof fetch;
  };
}

function setHeader(headers: Headers, name: string, value: string): void {
  try {
    headers.set(name, value);
  } catch {
    // What no header can hold is left out, and the call is made.
  }
}

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

/** What is known of a gateway that had to be asked for. */
export interface FoundGateway {
  url: string;
  makeFetch: GatewayFetch;
}

/**
 * @param client of openai, @anthropic-ai/sdk or ollama.
 * @param find gives the gateway, or nothing where there is none; never rejects.
 * @param direct what a call goes out by that goes through no gateway; the client's own `fetch` goes before it.
 * @returns a copy of the client with all of its settings, each call of which goes through the gateway once that is found, and
 *   where the client would call by itself until then.
 * @throws TypeError when it is no such client.
 */
export function viaFoundGateway<Client extends object>(
  client: Client,
  find: () => Promise<FoundGateway | undefined>,
  direct: typeof fetch,
): Client {
  const known = checkedClient(client);
  const fetched = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const gateway = await find();
    if (gateway === undefined) return (known.fetch ?? direct)(input as string, init);
    const { from, to, forGateway } = routeOf(known, gateway.url);
    const send = gateway.makeFetch(known.fetch, forGateway);
    const { url } = input instanceof Request ? input : { url: String(input) };
    // A client may call elsewhere than below its base.
    const target = url.startsWith(from) ? to + url.slice(from.length) : url;
    return send((input instanceof Request ? new Request(target, input) : target) as string, init);
  };
  return copyClient(known, baseOf(known), fetched as typeof fetch) as Client;
}

/** @throws TypeError when it is no client of a model. */
function checkedClient(client: object): ModelClient | OllamaClient {
  if (isOllama(client) || isModelClient(client)) return client;
  throw new TypeError('viaGateway takes a client of openai, @anthropic-ai/sdk or ollama');
}

const baseOf = (client: ModelClient | OllamaClient): string =>
  isOllama(client) ? client.config.host : client.baseURL.replace(/(?<!\/)\/+$/, '');

function routeOf(client: ModelClient | OllamaClient, gatewayUrl: string): Route {
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

function copyClient(client: ModelClient | OllamaClient, base: string, fetched: typeof fetch): unknown {
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
