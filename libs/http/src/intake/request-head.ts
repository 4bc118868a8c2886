import type { IncomingMessage, IncomingHttpHeaders } from 'node:http';
import type { ErrorCode } from '@spandrel/contract';

/** Finds what is wrong with the length of a body (RFC 9112, 6.1 and 6.3); the connection must then be closed. */
export function framingFault({
  headers,
  httpVersion,
}: IncomingMessage): { code: ErrorCode; message: string } | undefined {
  const coding = headers['transfer-encoding'];
  if (coding === undefined) return undefined;
  if (httpVersion === '1.0') {
    return { code: 'malformed_request', message: 'HTTP/1.0 has no Transfer-Encoding; send Content-Length.' };
  }
  const codings = coding.split(',').map((each) => each.trim().toLowerCase());
  const before = codings.slice(0, -1);
  if (codings.at(-1) !== 'chunked' || before.includes('chunked') || before.includes('')) {
    return { code: 'malformed_request', message: 'The last Transfer-Encoding must be "chunked", and only the last.' };
  }
  if (before.length === 0) return undefined;
  return {
    code: 'not_implemented',
    message: 'No Transfer-Encoding but "chunked" is supported; a compressed body has a Content-Encoding.',
  };
}

/** Whether a request names its host once (RFC 9112, 3.2); Node's own answer has neither a body nor a request id. */
export function namesOneHost({
  httpVersion,
  rawHeaders,
}: Pick<IncomingMessage, 'httpVersion' | 'rawHeaders'>): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]!;
    if (name.length === 4 && name.toLowerCase() === 'host') count += 1;
  }
  return count === 1 || (count === 0 && httpVersion === '1.0');
}

/** The headers by which a request says where it comes from, as they came. */
type RequestSource = Pick<IncomingHttpHeaders, 'host' | 'origin'> & {
  [name in 'sec-fetch-site' | 'sec-fetch-mode' | 'sec-fetch-dest']?: string | string[] | undefined;
};

/**
 * Says why a request may not come from this machine's own programs, or may be a web page's; `undefined`: it is served
 * (docs/spec/access.md#local-mode-is-for-this-machine-alone).
 * @param headers an absent Origin or Sec-Fetch-Site is no browser, or one from before 2023.
 * @param isPage whether the request is for a page of this server, which a link on any web page may open.
 */
export function localRequestFault(headers: RequestSource, isPage = false): string | undefined {
  const { host, origin } = headers;
  if (host !== undefined && !isLocalAuthority(host)) {
    return `${ONLY_THIS_MACHINE}, and the header Host names another one: ask for 127.0.0.1 or localhost; cloud mode serves others`;
  }
  const authority = origin === undefined ? undefined : /^https?:\/\/([^/]+)$/i.exec(origin)?.[1];
  if (origin !== undefined && (authority === undefined || !isLocalAuthority(authority))) {
    return `${ONLY_THIS_MACHINE}, and the header Origin names a web page from elsewhere: call from a program, or from a page of localhost; cloud mode serves others`;
  }
  const site = headers['sec-fetch-site'];
  if (site === undefined || NEAR_SITES.has(site) || (isPage && isNavigation(headers))) return undefined;
  return `${ONLY_THIS_MACHINE}, and the header Sec-Fetch-Site says that a web page from elsewhere sends this: call from a program, or from a page under the same host name (localhost and 127.0.0.1 are two); cloud mode serves others`;
}

/** Requests by pages of this server, of another port of the same host name, and by the address bar. */
const NEAR_SITES: ReadonlySet<unknown> = new Set(['same-origin', 'same-site', 'none']);

/** Whether a browser opens an address in a tab of its own, as a link does, and not inside another page. */
const isNavigation = (headers: RequestSource): boolean =>
  headers['sec-fetch-mode'] === 'navigate' && headers['sec-fetch-dest'] === 'document';

const ONLY_THIS_MACHINE = 'local mode answers programs of this machine only';

const LOCAL_NAME = /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/i;

function isLocalAuthority(authority: string): boolean {
  const host = /^(.*?)(?::\d{1,5})?$/.exec(authority)?.[1] ?? '';
  return LOCAL_NAME.test(host);
}
