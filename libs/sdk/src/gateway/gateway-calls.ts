import type { Settings } from '../settings.js';
import { findGateway } from './find-gateway.js';
import { gatewayFetch, type GatewayFetch } from './gateway-fetch.js';
import { routeOf, type KnownClient } from './via-gateway.js';
import { context } from '../tracing/context.js';
import type { Context } from '../tracing/open-context.js';
import { formatTraceparent } from '../tracing/ids.js';

/** What the calls of an instance go out by; it is loaded with the first of them. */
export interface GatewayCalls {
  /** Asks the server for its gateway; never rejects. */
  find(): Promise<string | undefined>;
  /** Makes a `fetch` for the gateway of the settings. @param current what is open where the call is made. */
  makeFetch(current: Context | undefined): GatewayFetch;
  /** Makes the `fetch` of a client for the gateway that is found, or for where the client calls by itself. */
  makeFoundFetch(current: Context | undefined, client: KnownClient): typeof fetch;
}

/** @param direct what a call goes out by that goes through no gateway; the client's own `fetch` goes before it. */
export function createGatewayCalls(settings: Settings, direct: typeof fetch): GatewayCalls {
  const find = findGateway(settings);
  const makeFetchFor = (gatewayUrl: string | undefined, current: Context | undefined): GatewayFetch =>
    gatewayFetch({ ...settings, gatewayUrl }, { buildHeaders: (url) => traceHeaders(url, gatewayUrl, current) });
  return {
    find,
    makeFetch: (current) => makeFetchFor(settings.gatewayUrl, current),
    makeFoundFetch: (current, client) =>
      (async (input: string | URL | Request, init) => {
        const gateway = await find();
        if (gateway === undefined) return (client.fetch ?? direct)(input as string, init);
        const { from, to, forGateway } = routeOf(client, gateway);
        const send = makeFetchFor(gateway, current)(client.fetch, forGateway);
        const { url } = input instanceof Request ? input : { url: String(input) };
        // A client may call elsewhere than below its base.
        const target = url.startsWith(from) ? to + url.slice(from.length) : url;
        return send((input instanceof Request ? new Request(target, input) : target) as string, init);
      }) as typeof fetch,
  };
}

/** Values longer than this together are left to the spans that come later: servers take 16 KB of headers. */
const LENGTH_MAX = 2_048;

/**
 * Headers that put a call into the trace and below the span that are open where it is made. With the trace come its session,
 * user and tags, which rules on the server go by and which may arrive there before the trace itself. Never throws.
 * @param current what is open there; what is open now when left out.
 * @param gatewayUrl the gateway's own headers go to its origin alone; all others get `traceparent`.
 */
export function traceHeaders(
  url: URL,
  gatewayUrl: string | undefined,
  current = context.getStore(),
): Record<string, string> {
  if (current === undefined) return {};
  const { trace, spanId } = current;
  const headers: Record<string, string> = {};
  const isGateway = gatewayUrl !== undefined && url.origin === new URL(gatewayUrl).origin;
  if (isGateway && spanId === null) headers['X-Spandrel-Trace-Id'] = trace.id;
  else headers['traceparent'] = formatTraceparent(trace.id, spanId);
  if (!isGateway) return headers;
  let room = LENGTH_MAX;
  const add = (name: string, texts: readonly string[], isExact: (text: string) => boolean): void => {
    const value = texts.join(',');
    // A value that would arrive as another one is left out.
    if (value === '' || value.length > room || !texts.every(isExact)) return;
    room -= value.length;
    headers[name] = value;
  };
  const { sessionId, userId, tags } = trace.known;
  add('X-Spandrel-Session-Id', [sessionId ?? ''], isHeader);
  add('X-Spandrel-User-Id', [userId ?? ''], isHeader);
  add('X-Spandrel-Tags', tags ?? [], (tag) => isHeader(tag) && tag !== '' && !tag.includes(','));
  return headers;
}

/** Whether a text may stand in a header and comes out of it as it was. */
// oxlint-disable-next-line no-control-regex -- These end a header.
const isHeader = (text: string): boolean => text === text.trim() && !/[\0-\x1f\x7f]/.test(text);
