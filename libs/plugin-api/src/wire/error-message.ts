import { filledTextOf, listOf, objectOf } from './lenient-json.js';

/**
 * The message of an error answer in any form seen in the wild: `{error: {message}}`, `{error: "…"}`, `{message}`,
 * `{detail}`, a list of one of these (Gemini), or a bare text.
 */
export function errorMessageOf(body: unknown): string | undefined {
  const first = listOf(body)[0] ?? body;
  const { error, message, detail } = objectOf(first);
  const found =
    filledTextOf(objectOf(error)['message']) ??
    filledTextOf(error) ??
    filledTextOf(message) ??
    filledTextOf(detail) ??
    filledTextOf(first);
  return found ?? undefined;
}

/** The error inside an answer that came with status 200, else `null`. */
export function embeddedErrorOf(body: unknown): string | null {
  const { error } = objectOf(body);
  return !error ? null : (errorMessageOf({ error }) ?? JSON.stringify(error));
}
