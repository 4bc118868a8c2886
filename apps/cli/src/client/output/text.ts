import stringWidth from 'string-width';

/**
 * Texts that were recorded are anybody's: a terminal that is sent their control characters can be made to show something
 * else, change its title or worse. What is shown to people goes through these; JSON has escapes of its own.
 */

/** Controls of ASCII and Latin-1, line and paragraph separators, and marks that turn the direction of text around. */
const CONTROLS = /[\p{Cc}\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** @returns a text as one line: runs of white space are a blank, other control characters are shown as `\x1b`. */
export const oneLine = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\s\u0085]+/gu, ' ')
    .replace(CONTROLS, escaped)
    .trim();

/** @returns a text with its lines and tabs, other control characters shown as `\x1b`. */
export const manyLines = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll('\r\n', '\n')
    .replace(CONTROLS, (control) => (control === '\n' || control === '\t' ? control : escaped(control)));

/** @returns JSON text with every control character escaped, those too that JSON allows as they are; it means the same. */
export const cleanJson = (json: string): string =>
  json.replace(/[\u007f-\u009f\u2028\u2029\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu, jsonEscape);

function escaped(control: string): string {
  const code = control.charCodeAt(0);
  return code > 0xff ? jsonEscape(control) : `\\x${code.toString(16).padStart(2, '0')}`;
}

const jsonEscape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

const graphemes = new Intl.Segmenter();

/** Characters of one column at most: a letter with thousands of marks on it is cut as any long text. */
const UNITS_A_COLUMN = 16;

export const measureWidth = (text: string): number => stringWidth(text);

/** @returns the text in at most so many columns, with `…` where something was cut off. @param text one line without escapes. */
export function cutText(text: string, columns: number): string {
  if (text.length <= columns * UNITS_A_COLUMN && measureWidth(text) <= columns) return text;
  if (columns <= 0) return '';
  let kept = '';
  let width = 0;
  for (const { segment } of graphemes.segment(text.slice(0, columns * UNITS_A_COLUMN))) {
    const added = measureWidth(segment);
    if (width + added > columns - 1) break;
    kept += segment;
    width += added;
  }
  return `${kept.trimEnd()}…`;
}

export function padText(text: string, columns: number, align: 'left' | 'right' = 'left'): string {
  const blanks = ' '.repeat(Math.max(0, columns - measureWidth(text)));
  return align === 'right' ? blanks + text : text + blanks;
}
