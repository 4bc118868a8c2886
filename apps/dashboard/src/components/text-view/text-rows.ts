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

/** More matches than this are not counted: nobody goes through them one by one. */
export const MATCHES_MAX = 10_000;

/** A stretch of a text, by offsets. */
export interface TextMatch {
  from: number;
  to: number;
}

/**
 * Finds a text literally, whatever the case of its letters.
 * @returns matches in order that do not overlap, {@link MATCHES_MAX} at most; none for an empty text.
 */
export function findInText(text: string, sought: string): TextMatch[] {
  if (sought === '') return [];
  const matches: TextMatch[] = [];
  for (const match of text.matchAll(patternOf(sought))) {
    matches.push({ from: match.index, to: match.index + match[0].length });
    if (matches.length === MATCHES_MAX) break;
  }
  return matches;
}

/** The mode `u` compares letters of all scripts; half a surrogate pair it would refuse. */
function patternOf(sought: string): RegExp {
  return new RegExp(sought.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`), sought.isWellFormed() ? 'giu' : 'gi');
}

/** A piece of a text, and whether it is to be marked. */
interface MarkedPiece {
  text: string;
  isMatch: boolean;
}

/** Cuts a short text, such as a row, into what matches and what is between. */
export function markMatches(text: string, sought: string): MarkedPiece[] {
  const pieces: MarkedPiece[] = [];
  let reached = 0;
  for (const { from, to } of findInText(text, sought)) {
    if (from > reached) pieces.push({ text: text.slice(reached, from), isMatch: false });
    pieces.push({ text: text.slice(from, to), isMatch: true });
    reached = to;
  }
  if (reached < text.length || pieces.length === 0) pieces.push({ text: text.slice(reached), isMatch: false });
  return pieces;
}

/** Lines of a long text that are shown before someone asks for all. */
export const FOLD_LINES = 40;
/** Characters of one of them, about: a line can be megabytes long. */
const LINE_LENGTH = 200;

/** The beginning of a text that is too long to be shown at once; `null` for one that is not. */
export const foldedText = (text: string, lines = FOLD_LINES): string | null =>
  beginningOf(text, lines, lines * LINE_LENGTH);

/** Two lines of a text of more than six, or of as many characters as these have about; `null` for a shorter one. */
export const foldedToLines = (text: string): string | null =>
  beginningOf(text, 6, 600) === null ? null : (beginningOf(text, 2, 200) ?? text);

function beginningOf(text: string, lines: number, length: number): string | null {
  let end = 0;
  for (let line = 0; line < lines; line++) {
    const lineBreak = text.indexOf('\n', end);
    if (lineBreak === -1) return text.length > length ? cut(text, length) : null;
    if (lineBreak > length) return cut(text, length);
    end = lineBreak + 1;
  }
  return end >= text.length ? null : text.slice(0, end - 1);
}

/** A beginning that does not end within a character. */
function cut(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}
