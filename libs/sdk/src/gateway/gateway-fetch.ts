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
