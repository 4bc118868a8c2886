/** Bytes of a text that is read whole for its preview; of a larger one the beginning of its JSON is shown. */
export const PREVIEWED_BYTES_MAX = 1_048_576;

/** A stored text to be previewed. */
export interface Previewed {
  /** JSON text, or its beginning; `null` when there is none. */
  json: string | null;
  isWhole: boolean;
  /** Whether the span is a call of a model, whose input is a list of messages and whose output has a `text`. */
  isLlmCall: boolean;
}

/**
 * The beginning of what a person would read of an input: the last user message of a call of a model, a text as it reads,
 * all else as JSON (docs/spec/outlines.md#previews).
 */
export function inputPreview(previewed: Previewed, codePoints: number): string | null {
  return preview(previewed, codePoints, lastUserMessage);
}

/** The beginning of what a person would read of an output: the answer of a call of a model, else as with the input. */
export function outputPreview(previewed: Previewed, codePoints: number): string | null {
  return preview(previewed, codePoints, answerText);
}

/** The beginning of an input that is at hand as a value; `null` for `null`, or without characters. */
export const previewOfInput = (value: unknown, codePoints: number): string | null =>
  previewOfValue(value, codePoints, lastUserMessage);

/** The beginning of an output that is at hand as a value, likewise. */
export const previewOfOutput = (value: unknown, codePoints: number): string | null =>
  previewOfValue(value, codePoints, answerText);

function previewOfValue(
  value: unknown,
  codePoints: number,
  readText: (value: unknown) => string | undefined,
): string | null {
  if (value === null || value === undefined || codePoints === 0) return null;
  const text = typeof value === 'string' ? value : readText(value);
  return firstCodePoints(text === undefined || text === '' ? JSON.stringify(value) : text, codePoints);
}

function preview(
  { json, isWhole, isLlmCall }: Previewed,
  codePoints: number,
  readText: (value: unknown) => string | undefined,
): string | null {
  if (json === null || codePoints === 0) return null;
  const isText = json.startsWith('"');
  if (!isWhole || !(isText || isLlmCall)) return firstCodePoints(json, codePoints);
  const value: unknown = JSON.parse(json);
  const text = typeof value === 'string' ? value : readText(value);
  return firstCodePoints(text === undefined || text === '' ? json : text, codePoints);
}

function lastUserMessage(value: unknown): string | undefined {
  if (!Array.isArray(value)) return undefined;
  for (const message of value.toReversed() as unknown[]) {
    if (memberOf(message, 'role') !== 'user') continue;
    const text = textOfContent(memberOf(message, 'content'));
    if (text !== '') return text;
  }
  return undefined;
}

function answerText(value: unknown): string | undefined {
  const text = memberOf(value, 'text');
  return typeof text === 'string' ? text : undefined;
}

/** A message's content: a text, or parts of which some have a text. */
function textOfContent(content: unknown): string {
  if (typeof content === 'string') return content;
  const parts = Array.isArray(content) ? (content as unknown[]) : [content];
  return parts.flatMap((part) => (typeof part === 'string' ? part : (textMember(part) ?? []))).join('\n');
}

const textMember = (part: unknown): string | undefined => {
  const text = memberOf(part, 'text');
  return typeof text === 'string' ? text : undefined;
};

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;

/** The first characters of a text; none is cut in two. */
export function firstCodePoints(text: string, count: number): string {
  let end = 0;
  for (let taken = 0; taken < count && end < text.length; taken++) end += text.codePointAt(end)! > 0xffff ? 2 : 1;
  return text.slice(0, end);
}
