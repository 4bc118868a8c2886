/** UTF-16 units of a text that are written at once: less than a millisecond. */
const PIECE = 262_144;

/**
 * A text of any length in pieces that are written quickly, none of which ends within a character.
 * @param texts what it is made of; each is asked for when the one before has been taken.
 * @param lead stands before them.
 */
export function* textPieces(texts: Iterable<string>, lead = ''): Generator<string, void> {
  let waiting = lead;
  for (const text of texts) {
    waiting += text;
    while (waiting.length > PIECE) {
      const end = isHighSurrogate(waiting.charCodeAt(PIECE - 1)) ? PIECE + 1 : PIECE;
      yield waiting.slice(0, end);
      waiting = waiting.slice(end);
    }
  }
  if (waiting !== '') yield waiting;
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** A text, or the texts that it is made of. */
export type Texts = string | readonly string[];

/**
 * The texts of a list, made as they are taken.
 * @param lead what stands before an item, by its index.
 */
export function* itemTexts(items: Iterable<Texts>, lead: (index: number) => string): Generator<string, void> {
  let index = 0;
  for (const item of items) {
    yield lead(index++);
    if (typeof item === 'string') yield item;
    else yield* item;
  }
}
