import { hostList } from '@spandrel/kernel';
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
