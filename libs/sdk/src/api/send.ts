import { backoffMs } from '../delivery/backoff.js';
import { passes, reasonOf } from '../delivery/failures.js';
import { checkedBase } from './checked-base.js';
import { errorOfAnswer } from './error-of-answer.js';
import { withQuery, type Query } from './request-url.js';
import type { FileBody } from './schema.js';
import { SpandrelError } from './spandrel-error.js';

/** The server that a client calls, and how. */
export interface ApiOptions {
  /** Base URL of the server, which may have a path. */
  url: string;
  /** API key or JWT; cloud mode needs one. */
  key?: string | undefined;
  /** The global one when left out. */
  fetch?: typeof globalThis.fetch | undefined;
  /** Longest time that a try may take, 60,000 ms when left out; of files and streams, until they begin. */
  timeoutMs?: number | undefined;
  /** Waits between tries; for tests. */
  wait?: ((ms: number, signal: AbortSignal | undefined) => Promise<void>) | undefined;
}

/** Options of one call. */
export interface CallOptions {
  /** Ends the call: what it was aborted with is thrown. */
  signal?: AbortSignal | undefined;
  /** Instead of the client's. */
  timeoutMs?: number | undefined;
  /** Headers beside those of the client. */
  headers?: Readonly<Record<string, string>> | undefined;
  /**
   * Whether to try again, three times at most, when no answer came or one that passes (408, 429, 5xx). When left out: what
   * reads, and what makes something under an id that the caller chose (`body.id`).
   */
  retry?: boolean | undefined;
}

/** A request of any endpoint. */
export interface RawOptions extends CallOptions {
  query?: Query | undefined;
  /** An object or a list is sent as JSON, everything else as it is; text is JSON where no header says otherwise. */
  body?: FileBody | object | undefined;
}

/** Sends a request and reads the answer; an error that may pass while reading counts as one of the connection. */
export type Send = <T>(
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

/**
 * @returns a function that sends requests to a server. It throws {@link SpandrelError} when no answer came or it is an
 *   error (400 or above), and what a call was aborted with.
 * @throws TypeError when the URL is none.
 */
export function createSend({ url, key, fetch: ownFetch, timeoutMs: usualMs, wait = pause }: ApiOptions): Send {
  const base = checkedBase(url);
  const send = async <T>(
    method: string,
    path: string,
    { query, body, headers, signal, timeoutMs = usualMs ?? TIMEOUT_MS }: RawOptions,
    read: (answer: Response) => Promise<T>,
  ): Promise<T> => {
    const init = { method, headers: headersOf(key, body, headers), ...bodyOf(body) };
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
      if (answer.status >= 400) throw errorOfAnswer(answer, await answer.text());
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
    const retry = !isStream(options.body) && (options.retry ?? isRepeatable(method, options.body));
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

/** Whether what went wrong may go right a little later. */
export const mayPass = ({ status, code }: SpandrelError): boolean => code === 'unreachable' || passes(status);

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

function headersOf(
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

function bodyOf(body: RawOptions['body']): RequestInit {
  if (body === undefined) return {};
  if (isJson(body)) return { body: JSON.stringify(body) };
  // A stream is sent while the answer may begin already, which has to be said.
  return { body, ...(isStream(body) && { duplex: 'half' }) } as RequestInit;
}

const pause = (ms: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = (): void => {
      clearTimeout(timer);
      reject(signal!.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end);
      resolve();
    }, ms);
    if (signal?.aborted) end();
    else signal?.addEventListener('abort', end, { once: true });
  });
