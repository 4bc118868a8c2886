import { diffLines, diffWordsWithSpace } from 'diff';

export type DiffUnit = 'words' | 'lines';

/** A stretch of a text that stayed, went or came. */
export interface DiffPart {
  kind: 'same' | 'removed' | 'added';
  text: string;
}

/** Texts that differ in nearly everything take ever longer to compare: they are compared by lines, and at last as one for the other. */
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

/** Texts that have more than this in common are compared by words, where others are read side by side. */
const ALIKE_MIN = 0.6;

/** Whether more than 60% of two texts is alike, by the characters of both. @param parts of their difference. */
export function areAlike(parts: readonly DiffPart[]): boolean {
  const lengthOf = (kind: DiffPart['kind']): number =>
    parts.reduce((sum, part) => sum + (part.kind === kind ? part.text.length : 0), 0);
  const same = 2 * lengthOf('same');
  return same > ALIKE_MIN * (same + lengthOf('removed') + lengthOf('added'));
}

function replaced(before: string, after: string): DiffPart[] {
  const parts: DiffPart[] = [
    { kind: 'removed', text: before },
    { kind: 'added', text: after },
  ];
  return parts.filter(({ text }) => text !== '');
}

const CONTEXT_LINES = 3;
/** A stretch of fewer lines is read as quickly as the button that would stand for it. */
const FOLDED_MIN = 8;

/** A stretch without a change that stands folded. */
export interface FoldedLines {
  kind: 'folded';
  /** The lines, each with its line break. */
  text: string;
  lines: number;
}

/**
 * Folds the lines of a difference in which nothing changed, but for three beside each change
 * (docs/spec/dashboard-evaluations.md#difference-of-two-texts). Texts without a difference are left whole.
 */
export function foldSame(parts: readonly DiffPart[]): (DiffPart | FoldedLines)[] {
  if (parts.length < 2) return [...parts];
  return parts.flatMap((part, at) =>
    part.kind === 'same'
      ? foldPart(part, at === 0 ? 0 : CONTEXT_LINES, at === parts.length - 1 ? 0 : CONTEXT_LINES)
      : part,
  );
}

/** @param before lines that stay in sight at the beginning, the rest of a line that a change begins among them. */
function foldPart(part: DiffPart, before: number, after: number): (DiffPart | FoldedLines)[] {
  const lines = part.text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  const folded = lines.slice(before, lines.length - after);
  if (folded.length < FOLDED_MIN) return [part];
  return [
    { kind: 'same' as const, text: lines.slice(0, before).join('') },
    { kind: 'folded' as const, text: folded.join(''), lines: folded.length },
    { kind: 'same' as const, text: lines.slice(lines.length - after).join('') },
  ].filter(({ text }) => text !== '');
}
