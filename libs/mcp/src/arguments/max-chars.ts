import { numberArgument } from './number-argument.js';

/** How long an answer may be, in UTF-16 units (docs/spec/mcp.md#size-of-answers). */
export const MAX_CHARS_DEFAULT = 20_000;
export const MAX_CHARS_MIN = 2_000;
export const MAX_CHARS_MAX = 100_000;

/** `max_chars` of every tool. */
export const maxCharsArgument = numberArgument({
  min: MAX_CHARS_MIN,
  max: MAX_CHARS_MAX,
  default: MAX_CHARS_DEFAULT,
  description: 'Characters of the answer at most.',
});
