import { retryAfterMs, passes, reasonOf } from '../api/answers.js';
import type { Timers } from './timers.js';

export interface Rejection {
  readonly index: number;
  readonly collection: 'traces' | 'spans' | 'scores';
  readonly code: string;
  readonly message: string;
}

export type Answer =
  | { readonly kind: 'taken'; readonly rejected: readonly Rejection[] }
  /** Something in the batch, or its size, is at fault: sending it again would not help. */
  | { readonly kind: 'refused'; readonly error: string; readonly isTooLarge: boolean }
  /** The key or the address is wrong: only a person can help. */
  | { readonly kind: 'denied'; readonly error: string; readonly status: number }
  /** The batch may be sent again later. */
  | { readonly kind: 'failed'; readonly error: string; readonly retryAfterMs: number; readonly timedOut: boolean };

export interface PostSettings {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly fetch: typeof fetch;
  readonly timers: Timers;
}

export interface Sent {
  readonly traces: number;
  readonly spans: number;
  readonly scores: number;
  readonly body: Uint8Array<ArrayBuffer>;
}

const COLLECTIONS: readonly Rejection['collection'][] = ['traces', 'spans', 'scores'];

/** An answer names each rejected item at most. What is longer is none. */
const ANSWER_BYTES_MAX = 4_194_304;

/** Sends a batch; never throws. @param timeoutMs from the request to the end of the answer. @param abort ends the request. */
export async function postBatch(
  settings: PostSettings,
  sent: Sent,
  timeoutMs: number,
  abort: AbortController,
): Promise<Answer> {
  let timedOut = false;
  const timer = settings.timers.set(
    () => {
      timedOut = true;
      abort.abort();
    },
    timeoutMs,
    false,
  );
  // Workers refuse their fetch as a method of something else.
  const { fetch: send } = settings;
  try {
    const response = await send(settings.url, {
      method: 'POST',
      headers: settings.headers,
      body: sent.body,
      // A redirect would carry spans and perhaps the key to where nobody wanted them.
      redirect: 'manual',
      signal: abort.signal,
    });
    return readAnswer(response, await readText(response), sent);
  } catch (error) {
    const reason = timedOut ? `no answer within ${timeoutMs / 1_000} s` : reasonOf(error);
    return { kind: 'failed', error: reason, retryAfterMs: 0, timedOut };
  } finally {
    settings.timers.clear(timer);
  }
}

function readAnswer(response: Response, text: string, sent: Sent): Answer {
  const { status } = response;
  if (status >= 200 && status < 300) return readResult(text, sent);
  const error = `HTTP ${status}${readProblem(text)}`;
  if (status === 400 || status === 413 || status === 422) return { kind: 'refused', error, isTooLarge: status === 413 };
  if (passes(status)) {
    const wait = retryAfterMs(response.headers.get('retry-after'), Date.now());
    return { kind: 'failed', error, retryAfterMs: wait, timedOut: false };
  }
  return { kind: 'denied', error, status };
}

/** Nothing is taken as delivered unless the answer accounts for each item that was sent. */
function readResult(text: string, sent: Sent): Answer {
  const result = attemptJson(text) as { accepted?: Record<string, unknown>; rejected?: unknown } | null | undefined;
  const rejected = Array.isArray(result?.rejected) ? result.rejected.filter(isRejection) : null;
  const adds = (collection: Rejection['collection']): boolean => {
    const of = rejected?.filter((rejection) => rejection.collection === collection) ?? [];
    return (
      of.every(({ index }) => index < sent[collection]) &&
      (result?.accepted?.[collection] ?? 0) === sent[collection] - of.length
    );
  };
  if (rejected !== null && COLLECTIONS.every(adds)) return { kind: 'taken', rejected };
  return { kind: 'failed', error: 'the answer is not that of a Spandrel API', retryAfterMs: 0, timedOut: false };
}

function isRejection(value: unknown): value is Rejection {
  const { index, collection } = (value ?? {}) as Partial<Rejection>;
  return Number.isSafeInteger(index) && index! >= 0 && COLLECTIONS.includes(collection!);
}

function readProblem(text: string): string {
  const problem = attemptJson(text) as { code?: unknown; detail?: unknown } | null | undefined;
  const parts = [problem?.code, problem?.detail].filter((part) => typeof part === 'string');
  return parts.length === 0 ? '' : `, ${parts.join(': ').slice(0, 500)}`;
}

async function readText(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (reader === undefined) return response.text();
  const decoder = new TextDecoder();
  let text = '';
  for (let bytes = 0; ;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    bytes += value.length;
    if (bytes > ANSWER_BYTES_MAX) {
      void reader.cancel().catch(() => undefined);
      return '';
    }
    text += decoder.decode(value, { stream: true });
  }
}

function attemptJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
