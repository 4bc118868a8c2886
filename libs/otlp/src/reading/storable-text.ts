import { isStorableText, KEY_LENGTH_MAX, NAME_LENGTH_MAX } from '@spandrel/contract';

/** A text without NUL and lone surrogates, which no column can hold. */
const storableText = (text: string): string =>
  isStorableText(text) ? text : text.replaceAll('\0', '').replaceAll(LONE_SURROGATE, '');

const LONE_SURROGATE = /\p{Surrogate}/gu;

/** A name of a span or a trace: what no column can hold is taken out, the rest cut at the longest that is allowed. */
export const storableName = (text: string): string => cut(storableText(text), NAME_LENGTH_MAX);

/** A model, a provider, a tool: as {@link storableName}, at the length of what is looked up exactly. */
export const storableKey = (text: string): string => cut(storableText(text), KEY_LENGTH_MAX);

/** Whether a session, a user or a tag may be kept; others are left in the attributes. */
export const isKeptKey = (value: unknown): value is string =>
  typeof value === 'string' && value !== '' && value.length <= KEY_LENGTH_MAX && isStorableText(value);

/** Cuts without leaving half a character. */
function cut(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : text.slice(0, lengthMax).replace(/[\ud800-\udbff]$/u, '');
}
