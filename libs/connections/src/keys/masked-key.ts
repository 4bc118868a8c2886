/** Characters that providers put in place of a key's own when they repeat it: `sk-ab***wxyz`, `sk-ab...wxyz`. */
const MASKS = new Set('*.…•·xX#_-');

/** So many of the key's own characters must stand on either side of the mask. */
const SHOWN_MIN = 3;

/** Longest mask, and longest part of a key beside one, that are looked for: bounds the work on hostile texts. */
const LOOK_MAX = 512;

/** Comparisons of characters for one piece: what a key and a text that are made for each other would take is not looked through. */
const STEPS_MAX = 1_000_000;

/** UTF-16 units that are looked through before others may have their turn. */
const PIECE = 1 << 20;

interface Place {
  start: number;
  end: number;
}

/**
 * Where a text repeats a key in part: at least three of its first characters, a mask, at least three of its last ones. A text that
 * would take too long counts as such a place from there to its end.
 * @returns stretches of the text, in order, without overlap; at each `yield` others may have their turn.
 */
export function* findMaskedKeys(text: string, key: string): Generator<void, Place[], void> {
  const found: Place[] = [];
  const head = key.slice(0, SHOWN_MIN);
  for (let from = 0; from < text.length; from += PIECE) {
    const piece = text.slice(from, from + PIECE + SHOWN_MIN - 1);
    const walk = new MaskedKeyWalk(text, key);
    let next = Math.max(0, (found.at(-1)?.end ?? 0) - from);
    for (let at = piece.indexOf(head, next); at !== -1; at = piece.indexOf(head, next)) {
      const start = from + at;
      const end = walk.endOfMasked(start);
      if (end !== undefined) found.push({ start, end });
      if (end === text.length) return found;
      next = end === undefined ? at + 1 : end - from;
    }
    yield;
  }
  return found;
}

class MaskedKeyWalk {
  private steps = 0;

  constructor(
    private readonly text: string,
    private readonly key: string,
  ) {}

  /** Where the masked key that begins at `start` ends; `undefined` when none begins there. */
  endOfMasked(start: number): number | undefined {
    const { text, key } = this;
    const lookMax = Math.min(key.length, LOOK_MAX);
    let shown = SHOWN_MIN;
    while (shown < lookMax && text[start + shown] === key[shown]) shown++;
    // A character of the key's own may be one that masks are made of: the mask may begin before the likeness ends.
    let maskStart = start + shown;
    while (maskStart > start + SHOWN_MIN && MASKS.has(text[maskStart - 1]!)) maskStart--;
    let maskEnd = maskStart;
    while (maskEnd < maskStart + LOOK_MAX && MASKS.has(text[maskEnd] ?? '')) maskEnd++;
    this.steps += shown + maskEnd - maskStart;
    const end = maskEnd === maskStart ? undefined : this.endOfTail(maskStart, maskEnd);
    return this.steps > STEPS_MAX ? text.length : end;
  }

  /** The furthest place up to which the text ends like the key, that end beginning within or right behind the mask. */
  private endOfTail(maskStart: number, maskEnd: number): number | undefined {
    const { text, key } = this;
    const tail = key.slice(-SHOWN_MIN);
    const near = text.slice(maskStart, maskEnd + Math.min(key.length, LOOK_MAX));
    this.steps += near.length;
    for (let at = near.lastIndexOf(tail); at > 0; at = near.lastIndexOf(tail, at - 1)) {
      let tailStart = maskStart + at;
      let position = key.length - SHOWN_MIN;
      while (tailStart > maskEnd && position > 0 && text[tailStart - 1] === key[position - 1]) {
        tailStart--;
        position--;
        this.steps++;
      }
      if (tailStart <= maskEnd) return maskStart + at + SHOWN_MIN;
    }
    return undefined;
  }
}
