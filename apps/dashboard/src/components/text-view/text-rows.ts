/** Characters of one row at most: browsers lay out a line of megabytes for seconds. */
export const ROW_LENGTH_MAX = 2_000;

/**
 * Offsets at which the rows of a text begin: at every line, and within a long line again and again.
 * Row `n` goes from `starts[n]` to `starts[n + 1]`, or to the end.
 */
export function rowStarts(text: string): Int32Array {
  let starts = new Int32Array(1_024);
  let count = 1;
  const add = (start: number): void => {
    if (count === starts.length) {
      const grown = new Int32Array(count * 2);
      grown.set(starts);
      starts = grown;
    }
    starts[count++] = start;
  };
  let row = 0;
  while (row < text.length) {
    const lineBreak = text.indexOf('\n', row);
    const lineEnd = lineBreak === -1 ? text.length : lineBreak;
    for (let cut = cutOf(text, row); cut < lineEnd; cut = cutOf(text, cut)) add(cut);
    if (lineBreak === -1) break;
    row = lineBreak + 1;
    add(row);
  }
  return starts.slice(0, count);
}

/** Where a long line goes on in a row of its own: never within a character. */
function cutOf(text: string, row: number): number {
  const cut = row + ROW_LENGTH_MAX;
  const before = text.charCodeAt(cut - 1);
  return before >= 0xd800 && before <= 0xdbff ? cut - 1 : cut;
}

/** The text of a row, without its line break. */
export function rowText(text: string, starts: Int32Array, row: number): string {
  const end = starts[row + 1] ?? text.length;
  const isBroken = end > 0 && row + 1 < starts.length && text.charCodeAt(end - 1) === 0x0a;
  return text.slice(starts[row], isBroken ? end - 1 : end);
}

/** The row that an offset lies in. */
export function rowAtOffset(starts: Int32Array, offset: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (starts[middle]! <= offset) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}
