import stringWidth from 'string-width';

const graphemes = new Intl.Segmenter();

/** Characters of one column at most: a letter with thousands of marks on it is cut as any long text. */
const UNITS_A_COLUMN = 16;

/** @returns the columns of a terminal that a text takes. */
export const widthOf = (text: string): number => stringWidth(text);

/** @returns the text in at most so many columns, with `…` where something was cut off. @param text one line without escapes. */
export function cutText(text: string, columns: number): string {
  if (text.length <= columns * UNITS_A_COLUMN && widthOf(text) <= columns) return text;
  if (columns <= 0) return '';
  let kept = '';
  let width = 0;
  for (const { segment } of graphemes.segment(text.slice(0, columns * UNITS_A_COLUMN))) {
    const added = widthOf(segment);
    if (width + added > columns - 1) break;
    kept += segment;
    width += added;
  }
  return `${kept.trimEnd()}…`;
}

/** @returns the text with blanks up to so many columns. */
export function padText(text: string, columns: number, align: 'left' | 'right' = 'left'): string {
  const blanks = ' '.repeat(Math.max(0, columns - widthOf(text)));
  return align === 'right' ? blanks + text : text + blanks;
}
