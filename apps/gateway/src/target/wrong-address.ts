import { modelCallAddress, modelCallOf, shownPath, type ModelClient } from '@spandrel/http';
import type { RequestHead } from '@spandrel/plugin-api';
import type { Base } from './provider-table.js';

/** Where the two programs are, without a slash at the end; `null` in cloud mode, where only their operator knows it. */
export interface Addresses {
  readonly gateway: string | null;
  readonly api: string | null;
}

/** Both addresses in local mode, the API's without what may be secret in its URL. */
export function localAddresses(host: string, port: number, apiUrl: string): Addresses {
  const { origin, pathname } = new URL(apiUrl);
  return {
    gateway: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    api: `${origin}${pathname}`.replace(/\/$/, ''),
  };
}

/** A path that belongs somewhere else. */
export interface WrongAddress {
  /** One sentence or two that name the right address. */
  message: string;
  /** The client library whose error shape the answer has; `null` where it is nobody's. */
  client: ModelClient | null;
}

/** Paths of the API that people ask for without `/api`, and those of its pages. */
const OF_API_WITHOUT_PREFIX =
  /^\/(traces|spans|sessions|datasets|datapoints|eval|evals|queue|ingest|events|analytics|search|export|import|provider-connections|health)(\/|$)/;
const PAGES = /^\/(docs|dashboard|openapi\.json)(\/|$)/;

/**
 * The right address for a request that came to the gateway's door by mistake (docs/spec/gateway.md#misdirected-requests). A path
 * with a beginning of its own may be a provider's that was not named: it is nobody's mistake but the missing header's.
 * @returns `undefined` for a path that is not known as a mistake.
 */
export function wrongAddress(path: string, addresses: Addresses): WrongAddress | undefined {
  if (path === '/') return { message: greeting(addresses), client: null };
  const call = modelCallOf(path);
  if (call?.prefix === '' && call.path !== path) {
    const address = modelCallAddress(call, addresses.gateway);
    return {
      message: `The gateway has nothing at ${shownPath(path)}: the right address is ${address}.`,
      client: call.client,
    };
  }
  if (call) return undefined;
  if (PAGES.test(path)) return ofApi('/docs', addresses);
  if (OF_API_WITHOUT_PREFIX.test(path)) return ofApi(`/api${path}`, addresses);
  return path === '/api' || path.startsWith('/api/') ? ofApi(path, addresses) : undefined;
}

/** What the answer to an unknown path says beyond the missing header. */
export function perhapsMeant(path: string, addresses: Addresses): string {
  const call = modelCallOf(path);
  if (call) return `Or was ${modelCallAddress(call, addresses.gateway)} meant?`;
  return `This is the gateway; Spandrel's API ${addresses.api === null ? 'has another address' : `is at ${addresses.api}`}.`;
}

function ofApi(path: string, { api }: Addresses): WrongAddress {
  const own = path === '/api/health' ? " The gateway's own checks are /livez, /readyz and /metrics." : '';
  const message =
    api === null
      ? `This is the gateway: ask the API for ${shownPath(path)}, at the API's own address.${own}`
      : `This is the gateway: the right address is the API's, ${api}${shownPath(path)}.${own}`;
  return { message, client: null };
}

function greeting({ gateway, api }: Addresses): string {
  return gateway === null || api === null
    ? "This is Spandrel's gateway: model calls go to its address followed by /v1 (OpenAI), or to its address with no path " +
        "behind it (Anthropic, Ollama). Everything it records is read from the API, under /api of the API's own address."
    : `This is Spandrel's gateway: model calls go to ${gateway}/v1 (OpenAI) or ${gateway} (Anthropic, Ollama). ` +
        `Everything it records is read from the API, ${api}/api/traces, which is described at ${api}/docs.`;
}

/**
 * Where a call goes whose named base already has what its path begins with (`https://llm.example.com/v1` and
 * `/v1/chat/completions`): nearly always a mistake, but only the provider knows for sure.
 * @returns host and path; `null` where nothing is doubled.
 */
export function doubledPath({ host, path }: Base, callPath: string): string | null {
  const doubled = (path.endsWith('/v1') && callPath.startsWith('/v1/')) || path.endsWith(callPath);
  return doubled ? `${host}${path}${callPath}` : null;
}

const EXPORT_PATHS: ReadonlySet<string> = new Set(['/v1/traces', '/v1/logs', '/v1/metrics']);

/**
 * Says what is wrong with an export of OpenTelemetry that came to the gateway (docs/spec/otlp.md#exports-at-the-gateway).
 * It holds prompts, and no provider takes it: it is never forwarded, whatever its headers say.
 * @param addresses asked for at such a mistake only.
 * @returns `undefined` for all other requests.
 */
export function telemetryExportFault({ method, path }: RequestHead, addresses: () => Addresses): string | undefined {
  if (method !== 'POST' || !EXPORT_PATHS.has(path)) return undefined;
  const { api } = addresses();
  const endpoint =
    api === null
      ? "set OTEL_EXPORTER_OTLP_ENDPOINT to the API's own address"
      : `set OTEL_EXPORTER_OTLP_ENDPOINT=${api}${portOf(api)}`;
  return `This is the gateway, which takes model calls: exports of OpenTelemetry go to the API; ${endpoint}.`;
}

/** The port in words where the address has one. */
function portOf(api: string): string {
  const port = URL.parse(api)?.port;
  return port ? ` (port ${port})` : '';
}
