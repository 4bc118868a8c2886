/** Lines of a long text that are shown before someone asks for all. */
export const FOLD_LINES = 40;
/** Characters of them: a line can be megabytes long. */
const FOLD_LENGTH = 8_000;

/** The beginning of a text that is too long to be shown at once; `null` for one that is not. */
export function foldedText(text: string): string | null {
  let end = 0;
  for (let line = 0; line < FOLD_LINES; line++) {
    const lineBreak = text.indexOf('\n', end);
    if (lineBreak === -1) return text.length > FOLD_LENGTH ? cut(text, FOLD_LENGTH) : null;
    if (lineBreak > FOLD_LENGTH) return cut(text, FOLD_LENGTH);
    end = lineBreak + 1;
  }
  return end >= text.length ? null : text.slice(0, end - 1);
}

/** A beginning that does not end within a character. */
function cut(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
