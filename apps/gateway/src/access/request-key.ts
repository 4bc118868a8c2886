import type { IncomingMessage } from 'node:http';

/**
 * The caller's own key: of `X-Spandrel-Key`, else of `?token=`; `null` when none was sent
 * (docs/spec/gateway.md#keys-of-callers).
 */
export function keyOf({ headers, url }: Pick<IncomingMessage, 'headers' | 'url'>): string | null {
  const header = headers['x-spandrel-key'];
  return typeof header === 'string' && header !== '' ? header : tokenOf(url!);
}

/** Whether a pair of a query is the gateway's `token`: only in this spelling, so that what is read is what is taken off. */
const isToken = (pair: string): boolean => pair === 'token' || pair.startsWith('token=');

function tokenOf(requestTarget: string): string | null {
  const mark = requestTarget.indexOf('?');
  if (mark === -1 || !requestTarget.includes('token', mark)) return null;
  const pair = requestTarget
    .slice(mark + 1)
    .split('&')
    .find(isToken);
  const value = pair?.slice('token='.length);
  if (!value) return null;
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** Takes `?token=` off a request target and leaves the rest as it is. */
export function withoutToken(requestTarget: string): string {
  const mark = requestTarget.indexOf('?');
  if (mark === -1 || !requestTarget.includes('token', mark)) return requestTarget;
  const kept = requestTarget
    .slice(mark + 1)
    .split('&')
    .filter((pair) => !isToken(pair));
  return kept.length === 0 ? requestTarget.slice(0, mark) : `${requestTarget.slice(0, mark)}?${kept.join('&')}`;
}
