/** How many `fetch` itself follows. */
const REDIRECTS_MAX = 20;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);
/** What `fetch` takes off when a redirect leads to another origin. */
const CREDENTIALS = ['authorization', 'proxy-authorization', 'cookie', 'host'];
const ABOUT_THE_BODY = ['content-type', 'content-length', 'content-encoding', 'content-language', 'content-location'];

/**
 * The request that a redirect asks for, as `fetch` makes it (Fetch standard, "HTTP-redirect fetch").
 * @param init what the request was made with; its headers are those of the caller.
 * @param request the request, where it was one instead of an address.
 * @param followed how many redirects led here.
 * @returns undefined when the answer is no redirect.
 * @throws TypeError when `fetch` would: too many, a body that cannot be sent twice, no http address.
 */
export function followedRedirect(
  answer: Response,
  from: URL,
  init: RequestInit & { headers: Headers },
  request: Request | undefined,
  followed: number,
): { url: URL; init: RequestInit } | undefined {
  const location = answer.headers.get('location');
  if (!REDIRECTS.has(answer.status) || location === null) return undefined;
  if (followed >= REDIRECTS_MAX) throw failed('redirect count exceeded');
  const url = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw failed(`a redirect to "${location}", which is no http address`);
  const method = (init.method ?? request?.method ?? 'GET').toUpperCase();
  const headers = new Headers(init.headers);
  if (url.origin !== from.origin) for (const name of CREDENTIALS) headers.delete(name);
  const signal = init.signal ?? request?.signal ?? null;
  const next = { ...init, signal, headers };
  const { status } = answer;
  if ((status === 303 && !/^(GET|HEAD)$/.test(method)) || ((status === 301 || status === 302) && method === 'POST')) {
    for (const name of ABOUT_THE_BODY) headers.delete(name);
    return { url, init: { ...next, method: 'GET', body: null } };
  }
  if (init.body instanceof ReadableStream || (request?.body && init.body === undefined)) {
    throw failed('a redirect of a request whose body is a stream');
  }
  return { url, init: { ...next, method } };
}

const failed = (reason: string): TypeError => new TypeError('fetch failed', { cause: new Error(reason) });
