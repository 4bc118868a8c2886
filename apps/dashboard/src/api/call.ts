import { parseWithAllDigits, type ErrorCode } from '@spandrel/contract/browser';
import { ApiError, errorOfAnswer, unreachable } from './api-error.js';
import { goToSignIn } from './go-to-sign-in.js';
import { queryText, type Query } from './query-text.js';

export interface CallOptions {
  method?: 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';
  query?: Query;
  /** Sent as JSON; numbers read exactly are written exactly. */
  body?: unknown;
  signal?: AbortSignal;
}

/**
 * Calls the API of the page's own server.
 * @param path begins with `/api/`; ids in it are already encoded (`encodeURIComponent`).
 * @returns the answer as JSON. Numbers that a double cannot hold are raw JSON numbers (`JSON.isRawJSON`).
 * @throws ApiError for every answer that is not a success, and where none came; what `signal` was aborted with.
 */
export async function call<Answer>(path: string, options: CallOptions = {}): Promise<Answer> {
  const { response, text } = await exchange(path, options);
  const body = readAnswer(text);
  if (!response.ok || body === UNREADABLE) {
    throw errorOfAnswer(response.status, body, response.headers);
  }
  return body as Answer;
}

/**
 * Calls the API like {@link call}.
 * @returns the answer as the JSON text that it is, for a worker to read: a large one would hold the page up.
 */
export async function callForText(path: string, options: CallOptions = {}): Promise<string> {
  const { response, text } = await exchange(path, options);
  if (!response.ok) throw errorOfAnswer(response.status, readAnswer(text), response.headers);
  return text;
}

/** Sends a `POST` without a body that outlives the page; what comes of it nobody hears. */
export function callWhileLeaving(path: string): void {
  fetch(path, { method: 'POST', credentials: 'same-origin', keepalive: true }).catch(() => undefined);
}

async function exchange(path: string, options: CallOptions): Promise<{ response: Response; text: string }> {
  const response = await request(path, options);
  if (response.status === 401) goToSignIn();
  const text = await response.text().catch((error: unknown) => {
    throw options.signal?.aborted ? error : unreachable();
  });
  if (response.status === 429 && isSignedOut(readAnswer(text))) goToSignIn();
  return { response, text };
}

/** A session that has ended counts as a wrong credential; those that follow too many of them from one address are 429. */
const isSignedOut = (problem: unknown): boolean =>
  (problem as { code?: unknown } | null | undefined)?.code === ('too_many_wrong_credentials' satisfies ErrorCode);

async function request(path: string, { method = 'GET', query = {}, body, signal }: CallOptions): Promise<Response> {
  try {
    return await fetch(path + queryText(query), {
      method,
      credentials: 'same-origin',
      headers: {
        Accept: 'application/json, application/problem+json',
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted || error instanceof ApiError) throw error;
    throw unreachable();
  }
}

const UNREADABLE = Symbol('unreadable');

/** Browsers that cannot keep every digit (no `JSON.rawJSON`) show what a double holds rather than nothing. */
function readAnswer(text: string): unknown {
  try {
    return typeof JSON.rawJSON === 'function' ? parseWithAllDigits(text) : JSON.parse(text);
  } catch {
    return UNREADABLE;
  }
}
