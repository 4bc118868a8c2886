import { mayPass, reasonOf, retryAfterMs as readRetryAfter } from './answers.js';
import { apiBase, backoffMs, TIMER_MS_MAX } from './http.js';
import type { ApiOptions, RawOptions, Query, Api, ListId, OperationId } from './operation-types.js';
import { LISTS, ROUTES, UNREAD } from './operations.generated.js';
import type { Problem } from './schema.js';
import { SpandrelError } from './spandrel-error.js';

/** Fills names in braces, percent-encoded. @throws TypeError for a value that is missing, or that cannot stand in a URL. */
const filledPath = (path: string, values: Readonly<Record<string, unknown>> = {}): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const text = String(values[name] ?? '');
    if (/^\.{0,2}$/.test(text)) throw new TypeError(`path.${name} must be given, and neither empty nor dots alone`);
    return encodeURIComponent(text);
  });

/** @returns the query as it stands behind a path: with `?`, or behind what the path has already. */
export function withQuery(path: string, query: Query = {}): string {
  const parts = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    if (Array.isArray(value)) for (const item of value) parts.append(name, String(item));
    else if (typeof value === 'object' && !(value instanceof Date)) {
      for (const [key, member] of Object.entries(value)) {
        if (member !== undefined) parts.append(`${name}.${key}`, String(member));
      }
    } else parts.append(name, value instanceof Date ? value.toISOString() : String(value));
  }
  const text = parts.toString();
  return text === '' ? path : `${path}${path.includes('?') ? '&' : '?'}${text}`;
}

interface AnswerHead {
  status: number;
  headers: { get(name: string): string | null };
}

/** @returns the error of an answer, wherever it came from. @param text the body of the answer. */
export function readError({ status, headers }: AnswerHead, text: string): SpandrelError {
  const problem = readProblem(text);
  const requestId = headers.get('x-request-id') ?? problem?.request_id;
  const retryAfterMs = readRetryAfter(headers.get('retry-after'), Date.now()) || undefined;
  if (problem) {
    const { code, detail = problem.title ?? code, errors } = problem;
    return new SpandrelError({ status, code, detail, requestId, errors, retryAfterMs });
  }
  const location = headers.get('location');
  const said = location === null ? text.replace(/\s+/g, ' ').slice(0, SAID_CHARACTERS) : `redirects to ${location}`;
  const detail = `HTTP ${status} is not an answer of the API: ${said || 'no body'}`;
  return new SpandrelError({ status, code: 'unexpected_answer', detail, requestId, retryAfterMs });
}

const SAID_CHARACTERS = 200;

function readProblem(text: string): (Partial<Problem> & { code: string }) | undefined {
  try {
    const body = JSON.parse(text) as Partial<Problem> | null;
    return typeof body?.code === 'string' ? (body as Partial<Problem> & { code: string }) : undefined;
  } catch {
    return undefined;
  }
}

/** Sends a request and reads the answer; an error that may pass while reading counts as one of the connection. */
type Send = <T>(
  method: string,
  path: string,
  options: RawOptions,
  read: (answer: Response) => Promise<T>,
) => Promise<T>;

const RETRIES_MAX = 3;
const PAUSE_MS_FIRST = 500;
/** A server that asks for a longer pause is not waited for. */
const PAUSE_MS_MAX = 30_000;
const TIMEOUT_MS = 60_000;

/** @throws TypeError when the URL is none; the function SpandrelError, and what a call was aborted with. */
function createSend(client: ApiOptions): Send {
  const { url, key, fetch: ownFetch, timeoutMs: usualMs, wait = pause } = client;
  const base = apiBase(url);
  const send = async <T>(
    method: string,
    path: string,
    { query, body, headers, signal, timeoutMs = usualMs ?? TIMEOUT_MS }: RawOptions,
    read: (answer: Response) => Promise<T>,
  ): Promise<T> => {
    const init = { method, headers: buildHeaders(key, body, headers), ...buildBody(body) };
    const timeout = new AbortController();
    const timer = setTimeout(() => timeout.abort(), timeoutMs);
    const target = base + withQuery(path, query);
    try {
      const answer = await (ownFetch ?? globalThis.fetch)(target, {
        ...init,
        signal: signal ? AbortSignal.any([signal, timeout.signal]) : timeout.signal,
        // The key is for this server alone.
        redirect: 'manual',
      });
      if (answer.status >= 400) throw readError(answer, await answer.text());
      return await read(answer);
    } catch (error) {
      if (error instanceof SpandrelError) throw error;
      signal?.throwIfAborted();
      const reason = timeout.signal.aborted ? `no answer within ${timeoutMs} ms` : reasonOf(error);
      throw new SpandrelError({ status: 0, code: 'unreachable', detail: `${base}: ${reason}`, cause: error });
    } finally {
      clearTimeout(timer);
    }
  };
  return async (method, path, options, read) => {
    if (!path.startsWith('/')) throw new TypeError(`the path "${path}" must begin with a slash`);
    const retry = !isStream(options.body) && (options.retry ?? client.retry ?? isRepeatable(method, options.body));
    for (let failures = 1; ; failures++) {
      try {
        return await send(method, path, options, read);
      } catch (error) {
        if (!retry || failures > RETRIES_MAX || !(error instanceof SpandrelError) || !mayPass(error)) throw error;
        const pauseMs = error.retryAfterMs ?? backoffMs(failures, PAUSE_MS_FIRST, PAUSE_MS_MAX, Math.random);
        if (pauseMs > PAUSE_MS_MAX) throw error;
        await wait(pauseMs, options.signal);
      }
    }
  };
}

/** Whether sending it twice does what sending it once does. */
const isRepeatable = (method: string, body: RawOptions['body']): boolean =>
  /^(GET|HEAD)$/i.test(method) ||
  (/^POST$/i.test(method) && isJson(body) && typeof (body as { id?: unknown }).id === 'string');

const isStream = (body: RawOptions['body']): boolean => body instanceof ReadableStream;

/** Whether a body is to be made JSON: an object of the language alone, or a list. */
function isJson(body: RawOptions['body']): body is object {
  if (typeof body !== 'object' || body === null) return false;
  const prototype: unknown = Object.getPrototypeOf(body);
  return prototype === null || prototype === Object.prototype || Array.isArray(body);
}

function buildHeaders(
  key: string | undefined,
  body: RawOptions['body'],
  others: Readonly<Record<string, string>> = {},
): Headers {
  const headers = new Headers(others);
  if (key !== undefined && !headers.has('authorization')) headers.set('authorization', `Bearer ${key}`);
  const isText = typeof body === 'string' || isJson(body);
  if (isText && !headers.has('content-type')) headers.set('content-type', 'application/json');
  return headers;
}

function buildBody(body: RawOptions['body']): RequestInit {
  if (body === undefined) return {};
  if (isJson(body)) return { body: JSON.stringify(body) };
  // A stream is sent while the answer may begin already, which has to be said.
  return { body, ...(isStream(body) && { duplex: 'half' }) } as RequestInit;
}

/** @throws what the signal was aborted with. */
export const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      reject(signal!.reason as Error);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', end);
        resolve();
      },
      Math.min(ms, TIMER_MS_MAX),
    );
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end, { once: true });
  });

/** @returns a client, which makes no request by itself. @throws TypeError when the URL is none. */
export function createClient(options: ApiOptions): Api {
  const send = createSend(options);
  const { parseJson = JSON.parse } = options;
  const call = async (id: OperationId, { path: values, ...given }: AnyArguments = {}): Promise<unknown> => {
    const [method, path] = ROUTES[id].split(' ') as [string, string];
    const target = filledPath(path, values);
    if (UNREAD.has(id)) return send(method, target, given, async (answer) => answer);
    const headers = { accept: 'application/json', ...given.headers };
    return send(method, target, { ...given, headers }, (answer) => readJson(answer, parseJson));
  };
  const methods = Object.keys(ROUTES).map((id) => [id, (args?: AnyArguments) => call(id as OperationId, args)]);
  const whole = {
    pages: (id: ListId, args?: AnyArguments) => items(id, args, call),
    raw: (method: string, path: string, given: RawOptions = {}) => send(method, path, given, async (answer) => answer),
  };
  return { ...Object.fromEntries(methods), ...whole } as Api;
}

type AnyArguments = RawOptions & { path?: Record<string, unknown> };

async function readJson(answer: Response, parseJson: (text: string) => unknown): Promise<unknown> {
  const text = await answer.text();
  if (answer.status >= 300) throw readError(answer, text);
  try {
    return parseJson(text);
  } catch {
    throw readError(answer, text);
  }
}

async function* items(
  id: ListId,
  args: AnyArguments = {},
  call: (id: ListId, args: AnyArguments) => Promise<unknown>,
): AsyncGenerator<unknown, void, undefined> {
  let cursor: unknown;
  do {
    const given = cursor === undefined ? args : { ...args, query: { ...args.query, cursor } };
    const page = (await call(id, given)) as Record<string, unknown>;
    yield* page[LISTS[id]] as unknown[];
    cursor = page['next_cursor'] ?? undefined;
  } while (cursor !== undefined);
}
