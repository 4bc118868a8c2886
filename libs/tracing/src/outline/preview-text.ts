import { lastQuestionOf, readAnswer } from '@spandrel/contract';

/** Bytes of a text that is read whole for its preview; of a larger one the beginning of its JSON is shown. */
export const PREVIEWED_BYTES_MAX = 1_048_576;

/** Texts of more characters are not looked into for the JSON of a conversation: a page previews hundreds. */
const JSON_TEXT_MAX = 131_072;

export interface Previewed {
  /** JSON text, or its beginning; `null` when there is none. */
  json: string | null;
  isWhole: boolean;
  /** Whether the span is a call of a model: its input is a question and its output an answer, in whatever form. */
  isLlmCall: boolean;
  /** Whether anything but a question or an answer is nothing. */
  asTalk?: boolean;
}

/**
 * The beginning of what a person would read of an input: the last question of a call of a model, a text as it reads, all
 * else as JSON (docs/spec/outlines.md#previews).
 */
export function inputPreview(previewed: Previewed, codePoints: number): string | null {
  return preview(previewed, codePoints, lastQuestionOf);
}

/** The beginning of what a person would read of an output: the answer of a call of a model, else as with the input. */
export function outputPreview(previewed: Previewed, codePoints: number): string | null {
  return preview(previewed, codePoints, answerText);
}

/** The beginning of an input that is at hand as a value; `null` for `null`, or without characters. */
export const previewOfInput = (value: unknown, codePoints: number): string | null =>
  previewOfValue(value, codePoints, lastQuestionOf);

/** The beginning of an output that is at hand as a value, likewise. */
export const previewOfOutput = (value: unknown, codePoints: number): string | null =>
  previewOfValue(value, codePoints, answerText);

function previewOfValue(
  value: unknown,
  codePoints: number,
  readText: (value: unknown) => string | null,
): string | null {
  if (value === null || value === undefined || codePoints === 0) return null;
  return firstCodePoints(readText(value) || textIn(value) || JSON.stringify(value), codePoints);
}

function preview(
  { json, isWhole, isLlmCall, asTalk = false }: Previewed,
  codePoints: number,
  readText: (value: unknown) => string | null,
): string | null {
  if (json === null || codePoints === 0) return null;
  const isText = json.startsWith('"');
  if (asTalk && !isWhole) return null;
  if (!isWhole || !(isText || isLlmCall || asTalk)) return firstCodePoints(json, codePoints);
  const value: unknown = JSON.parse(json);
  const isLongText = typeof value === 'string' && value.length > JSON_TEXT_MAX;
  const read = (isLlmCall || asTalk) && !isLongText ? readText(value) : null;
  if (asTalk && !read && !isText) return null;
  return firstCodePoints(read || textIn(value) || json, codePoints);
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');

const answerText = (output: unknown): string | null => readAnswer(output).text;

/** The first characters of a text; none is cut in two. */
export function firstCodePoints(text: string, count: number): string {
  let end = 0;
  for (let taken = 0; taken < count && end < text.length; taken++) end += text.codePointAt(end)! > 0xffff ? 2 : 1;
  return text.slice(0, end);
}
