import { type Named, type Logger, hostList } from '@spandrel/kernel';
import type { Endpoint, Provider, RequestHead } from '@spandrel/plugin-api';
import type { Origin } from '../upstream/upstream-client.js';

/** A parsed base URL: where requests go and what is put before their path. */
export interface Base {
  origin: Origin;
  /** `Host` to send. */
  host: string;
  /** Lower case host name without port, for comparison with providers' own hosts. */
  hostname: string;
  /** Path without a trailing slash; empty for none. */
  path: string;
  /** The base's own query with its `?`, put before the request's; empty for none. */
  query: string;
}

/**
 * Parses a base URL as `X-Forward-URL` and provider settings give it.
 * @param guarded only public addresses may be dialled.
 * @returns the base, or a sentence saying what is wrong with it.
 */
export function parseBase(text: string, guarded: boolean): Base | string {
  const url = URL.parse(text);
  if (!url) return 'is not a URL';
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'must begin with http:// or https://';
  if (url.username !== '' || url.password !== '') return 'must not hold a user name or password';
  if (url.hash !== '') return 'must not hold a fragment';
  const secure = url.protocol === 'https:';
  const hostname = url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
  if (hostname === '') return 'has no host';
  const port = url.port === '' ? (secure ? 443 : 80) : Number(url.port);
  return {
    origin: { key: `${url.protocol}//${url.hostname}:${port}${guarded ? '!' : ''}`, secure, hostname, port, guarded },
    host: url.host,
    hostname,
    path: url.pathname.replace(/(?<!\/)\/+$/, ''),
    query: url.search,
  };
}

/** The path and query to ask of the base. @param requestTarget path and query as the client sent them. */
export function joinTarget(base: Base, requestTarget: string): string {
  if (base.query === '') return base.path + requestTarget;
  const mark = requestTarget.indexOf('?');
  if (mark === -1) return base.path + requestTarget + base.query;
  return `${base.path}${requestTarget.slice(0, mark)}${base.query}&${requestTarget.slice(mark + 1)}`;
}

/** Whether callers may lead a call to a base: to public addresses, to any, or not at all. */
export type ForwardAllow = (base: Pick<Base, 'hostname' | 'origin'>) => 'public' | 'any' | undefined;

/**
 * The rule of `gateway.forward_allow` and `gateway.allow_private` (docs/spec/gateway.md#where-callers-may-lead-a-call).
 * @throws StartError naming every entry that is no host, host:port or *.domain.
 */
export function forwardAllow(entries: readonly string[], privateEntries: readonly string[]): ForwardAllow {
  const listed = hostList('gateway.forward_allow', entries);
  const isPrivate = hostList('gateway.allow_private', privateEntries);
  return ({ hostname, origin }) => {
    if (isPrivate(hostname, origin.port)) return 'any';
    return listed(hostname, origin.port) ? 'public' : undefined;
  };
}

/** A provider as the gateway uses it; a plugin that throws answers as one that does not know. */
export interface ProviderEntry {
  readonly name: string;
  readonly provider: Provider;
  /** Where its requests go when the caller does not say; `null` when it has no place. */
  readonly base: Base | null;
}

/** Name of the provider of an unknown host (docs/spec/gateway.md#the-providers-name). */
export const CUSTOM = 'custom';

/** The loaded providers, in the order of config. */
export class ProviderTable {
  readonly entries: readonly ProviderEntry[];
  /** Headers by which callers name a base, lower case. */
  readonly baseHeaders: ReadonlySet<string>;

  constructor(
    providers: readonly Named<Provider>[],
    private readonly logger: Logger,
  ) {
    this.entries = providers.map(({ name, extension: provider }) => {
      const base = provider.defaultBaseUrl === null ? null : parseBase(provider.defaultBaseUrl, false);
      if (typeof base === 'string') throw new Error(`provider ${name}: its base URL ${base}`);
      return { name, provider, base };
    });
    this.baseHeaders = new Set(
      this.entries.flatMap(({ provider }) => (provider.baseHeader === undefined ? [] : [provider.baseHeader])),
    );
  }

  byName(name: string): ProviderEntry | undefined {
    return this.entries.find((entry) => entry.name === name);
  }

  /** The provider whose request this is: certain before likely, ties by order. */
  recognise(head: RequestHead): ProviderEntry | undefined {
    let likely: ProviderEntry | undefined;
    for (const entry of this.entries) {
      const answer = this.ask(entry, head);
      if (answer === 'certain') return entry;
      if (answer === 'likely') likely ??= entry;
    }
    return likely;
  }

  /** The provider whose header names the base of this request. */
  namedBy({ headers }: RequestHead): ProviderEntry | undefined {
    return this.entries.find(
      ({ provider: { baseHeader } }) => baseHeader !== undefined && headers[baseHeader] !== undefined,
    );
  }

  /** The provider whose own host this is. */
  ownerOf({ hostname }: Base): ProviderEntry | undefined {
    return this.entries.find(({ provider }) => provider.hosts.includes(hostname));
  }

  endpoint(entry: ProviderEntry, head: RequestHead): Endpoint | undefined {
    try {
      const endpoint: unknown = entry.provider.endpoint(head);
      if (endpoint === undefined || isEndpoint(endpoint)) return endpoint;
      throw new TypeError('endpoint() returned no endpoint');
    } catch (error) {
      this.logger.warn(
        { provider: entry.name, err: error },
        'the provider plugin failed to name the endpoint of a request',
      );
      return undefined;
    }
  }

  private ask({ name, provider }: ProviderEntry, head: RequestHead): 'certain' | 'likely' | 'no' {
    try {
      return provider.recognises(head);
    } catch (error) {
      this.logger.warn({ provider: name, err: error }, 'the provider plugin failed while recognising a request');
      return 'no';
    }
  }
}

/** Whether a plugin returned an endpoint, by its data alone: its methods are guarded where they are called. */
function isEndpoint(value: unknown): value is Endpoint {
  const { name, framing } = Object(value) as Partial<Endpoint>;
  return typeof name === 'string' && (framing === 'sse' || framing === 'ndjson');
}
