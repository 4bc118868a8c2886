const UNSTORABLE = /[\0\ud800-\udfff]/;

/**
 * Text as the server takes it for names and values that are looked up: without NUL and lone surrogates, which become
 * U+FFFD, and cut to a length. Never throws.
 * @param lengthMax in UTF-16 units.
 */
export function plainText(value: unknown, lengthMax: number): string {
  let text = typeof value === 'string' ? value : textOf(value);
  if (text.length > lengthMax) text = text.slice(0, lengthMax);
  return UNSTORABLE.test(text) ? text.replaceAll('\0', '\ufffd').toWellFormed() : text;
}

function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return '[unreadable]';
  }
}

/** Longest name of a trace or span that the server takes. */
export const NAME_LENGTH_MAX = 2_000;
/** Longest session, user, tag or model that the server takes. */
export const KEY_LENGTH_MAX = 512;
