/** Characters that providers put in place of a key's own when they repeat it: `sk-ab***wxyz`, `sk-ab...wxyz`. */
const MASKS = new Set('*.…•·xX#_-');

/** So many of the key's own characters must stand on either side of the mask. */
const SHOWN_MIN = 3;

/** Longest mask, and longest part of a key beside one, that are looked for: bounds the work on hostile texts. */
const LOOK_MAX = 512;

/**
 * Where a text repeats a key in part: at least three of its first characters, a mask, at least three of its last ones.
 * @returns stretches of the text, in order, without overlap.
 */
export function findMaskedKeys(text: string, key: string): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  const head = key.slice(0, SHOWN_MIN);
  for (let start = text.indexOf(head); start !== -1;) {
    const end = endOfMasked(text, start, key);
    if (end !== undefined) found.push({ start, end });
    start = text.indexOf(head, end ?? start + 1);
  }
  return found;
}

/** Where the masked key that begins at `start` ends; `undefined` when none begins there. */
function endOfMasked(text: string, start: number, key: string): number | undefined {
  const lookMax = Math.min(key.length, LOOK_MAX);
  let shown = SHOWN_MIN;
  while (shown < lookMax && text[start + shown] === key[shown]) shown++;
  // A character of the key's own may be one that masks are made of: the mask may begin before the likeness ends.
  let maskStart = start + shown;
  while (maskStart > start + SHOWN_MIN && MASKS.has(text[maskStart - 1]!)) maskStart--;
  let maskEnd = maskStart;
  while (maskEnd < maskStart + LOOK_MAX && MASKS.has(text[maskEnd] ?? '')) maskEnd++;
  return maskEnd === maskStart ? undefined : endOfTail(text, maskStart, maskEnd, key);
}

/** The furthest place up to which the text ends like the key, that end beginning within or right behind the mask. */
function endOfTail(text: string, maskStart: number, maskEnd: number, key: string): number | undefined {
  const tail = key.slice(-SHOWN_MIN);
  const lookTo = Math.min(text.length, maskEnd + Math.min(key.length, LOOK_MAX));
  for (let at = text.lastIndexOf(tail, lookTo - SHOWN_MIN); at > maskStart; at = text.lastIndexOf(tail, at - 1)) {
    let tailStart = at;
    let position = key.length - SHOWN_MIN;
    while (tailStart > maskEnd && position > 0 && text[tailStart - 1] === key[position - 1]) {
      tailStart--;
      position--;
    }
    if (tailStart <= maskEnd) return at + SHOWN_MIN;
  }
  return undefined;
}
