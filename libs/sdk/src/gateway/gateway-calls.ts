import type { Settings } from '../settings.js';
import type { Context } from '../tracing/open-context.js';
import { traceHeaders } from '../tracing/trace-headers.js';
import { findGateway } from './find-gateway.js';
import { gatewayFetch, type GatewayFetch } from './gateway-fetch.js';
import { routeOf, type KnownClient } from './via-gateway.js';

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
