import type { StreamFrame } from '../provider.js';
import { amountOf, filledTextOf, listOf, objectOf } from './lenient-json.js';

/**
 * The message of an error answer in any form seen in the wild (docs/spec/recording.md#errors): `{error: {message}}`,
 * `{message}`, `{Message}` (AWS), `{msg}`, `{detail}` as text or list (FastAPI), `{errors: [{message}]}` (Cloudflare),
 * `{error: "…"}`, a list of one of these (Gemini), or a bare text.
 */
export function errorMessageOf(body: unknown): string | undefined {
  return messageIn(listOf(body)[0] ?? body, DEPTH_MAX) ?? undefined;
}

/**
 * The error inside an answer that came with status 200, else `null`: `error`, `x_groq.error` (Groq), `error` as `object`
 * (vLLM) or `type`, a `base_resp.status_code` (MiniMax) or an `error_code` (Baidu) that is not 0, `success: false`, entries
 * of `errors`.
 */
export function embeddedErrorOf(body: unknown): string | null {
  const answer = objectOf(listOf(body)[0] ?? body);
  const { errors, base_resp: resp, error_code: code } = answer;
  const error = answer['error'] || objectOf(answer['x_groq'])['error'];
  if (error) return errorMessageOf({ error }) ?? JSON.stringify(error);
  const status = objectOf(resp)['status_code'];
  if (amountOf(status)) return filledTextOf(objectOf(resp)['status_msg']) ?? `status_code ${JSON.stringify(status)}`;
  const isNamed = answer['object'] === 'error' || answer['type'] === 'error';
  const isError = isNamed || answer['success'] === false || Boolean(amountOf(code));
  if (isError || listOf(errors).length > 0) return errorMessageOf(answer) ?? JSON.stringify(code ?? errors ?? 'error');
  return null;
}

/**
 * The error that a frame of a stream reports, else `null`: one inside its data, or whatever an event named `error` says.
 * @param parsed the frame's data, `undefined` where they are no JSON.
 */
export function errorOfFrame({ event, data }: StreamFrame, parsed: unknown): string | null {
  const embedded = embeddedErrorOf(parsed);
  if (embedded !== null || event !== 'error') return embedded;
  return errorMessageOf(parsed) ?? (data.trim() || 'error');
}

const DEPTH_MAX = 4;
/** So many entries of a list of errors are enough to see what is wrong. */
const ENTRIES_MAX = 10;

function messageIn(value: unknown, depthMax: number): string | null {
  if (typeof value === 'string' || depthMax === 0) return filledTextOf(value);
  if (Array.isArray(value)) return entriesText(value, depthMax);
  const { error, ...members } = objectOf(value);
  if (typeof error === 'object') {
    const message = messageIn(error, depthMax - 1);
    if (message !== null) return message;
  }
  for (const name of MESSAGES) {
    const message = messageIn(members[name] ?? null, depthMax - 1);
    if (message !== null) return message;
  }
  return filledTextOf(error);
}

const MESSAGES = ['message', 'Message', 'msg', 'detail', 'errors', 'error_msg', 'error_message', 'error_description'];

/** The messages of a list of errors, each with the place in the request that FastAPI names. */
function entriesText(entries: readonly unknown[], depthMax: number): string | null {
  const messages = entries.slice(0, ENTRIES_MAX).flatMap((entry) => {
    const message = messageIn(entry, depthMax - 1);
    const place = listOf(objectOf(entry)['loc']).filter((part) => typeof part !== 'object');
    return message === null ? [] : place.length > 0 ? `${place.join('.')}: ${message}` : message;
  });
  return messages.join('; ') || null;
}
