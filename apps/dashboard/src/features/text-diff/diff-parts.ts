import { diffLines, diffWordsWithSpace } from 'diff';

export type DiffUnit = 'words' | 'lines';

/** A stretch of a text that stayed, went or came. */
export interface DiffPart {
  kind: 'same' | 'removed' | 'added';
  text: string;
}

/** Texts that differ in nearly everything take ever longer to compare: they are told by lines, and at last as one for the other. */
const PATIENCE_MS = 2_000;
/** More parts say nothing to a reader and hold the page up. */
const PARTS_MAX = 4_000;

/** What makes of one text the other, in order. */
export function diffParts(before: string, after: string, unit: DiffUnit): DiffPart[] {
  const options = { timeout: PATIENCE_MS };
  const found = unit === 'words' ? diffWordsWithSpace(before, after, options) : diffLines(before, after, options);
  if (found === undefined || found.length > PARTS_MAX) {
    return unit === 'words' ? diffParts(before, after, 'lines') : replaced(before, after);
  }
  return found.map(({ added, removed, value }) => ({
    kind: added ? 'added' : removed ? 'removed' : 'same',
    text: value,
  }));
}

function replaced(before: string, after: string): DiffPart[] {
  const parts: DiffPart[] = [
    { kind: 'removed', text: before },
    { kind: 'added', text: after },
  ];
  return parts.filter(({ text }) => text !== '');
}
