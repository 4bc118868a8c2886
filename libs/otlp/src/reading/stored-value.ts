import { isVector, plainValue, setMember, type OtelMap, type OtelValue } from '@spandrel/plugin-api';
import { isStorableText, KEY_LENGTH_MAX, NAME_LENGTH_MAX } from '@spandrel/contract';

/** Attributes as they are stored, without those that are left out. */
export function storedAttributes(attributes: OtelMap, leftOut?: (name: string) => boolean): Record<string, unknown> {
  const stored: Record<string, unknown> = {};
  attributes.forEach((value, name) => {
    if (!leftOut?.(name)) setMember(stored, name, storedValue(value));
  });
  return stored;
}

/** A value as JSON has it; vectors, also those written as JSON text, become their number of dimensions. */
function storedValue(value: OtelValue): unknown {
  if (typeof value === 'string') return vectorInText(value) ?? value;
  const plain = plainValue(value);
  return Array.isArray(plain)
    ? plain.map((item) => (typeof item === 'string' ? (vectorInText(item) ?? item) : item))
    : plain;
}

/** The least text that a vector takes: 17 digits with 16 commas in brackets. */
const VECTOR_TEXT_MIN = 35;
const BRACKET = 0x5b;

function vectorInText(text: string): { dimensions: number } | undefined {
  if (text.length < VECTOR_TEXT_MIN || text.charCodeAt(0) !== BRACKET || !beginsNumber(text.charCodeAt(1)))
    return undefined;
  try {
    const list = JSON.parse(text) as unknown;
    return Array.isArray(list) && isVector(list) ? { dimensions: list.length } : undefined;
  } catch {
    return undefined;
  }
}

const beginsNumber = (code: number): boolean => code === 0x2d || (code >= 0x30 && code <= 0x39);

/** A text without NUL and lone surrogates, which no column can hold. */
export const storableText = (text: string): string =>
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
export function cut(text: string, lengthMax: number): string {
  return text.length <= lengthMax ? text : text.slice(0, lengthMax).replace(/[\ud800-\udbff]$/u, '');
}
