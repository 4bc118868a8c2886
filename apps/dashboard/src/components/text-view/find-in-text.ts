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
export interface MarkedPiece {
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
