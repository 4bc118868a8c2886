/** Names longer than this are nobody's misspelling; comparing them would cost more than it helps. */
const LENGTH_MAX = 100;

/** A name that has whole words of another one is as near to it as one with this many wrong characters. */
const WORDS_DISTANCE = 2;

/**
 * The known name that was probably meant by an unknown one: `modle` → `model`, `sessionId` → `session_id`. Prefixes
 * that all names share should be cut off before: they make everything look alike.
 * @returns `undefined` when no name is near.
 */
export function nearestName(name: string, known: Iterable<string>): string | undefined {
  if (name.length > LENGTH_MAX) return undefined;
  const words = wordsOf(name);
  const letters = words.join('');
  if (letters === '') return undefined;
  let nearest: string | undefined;
  let least = Infinity;
  for (const candidate of known) {
    const distance = distanceOf(letters, words, wordsOf(candidate));
    if (distance < least) [nearest, least] = [candidate, distance];
  }
  return nearest;
}

/** `session_id`, `sessionId` and `Session-ID` are `['session', 'id']`. */
const wordsOf = (name: string): string[] =>
  name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '');

/** How many characters are wrong, Infinity when more than a third, and more than one; names that share words are near. */
function distanceOf(letters: string, words: readonly string[], knownWords: readonly string[]): number {
  const knownLetters = knownWords.join('');
  const longest = Math.max(letters.length, knownLetters.length);
  const most = Math.max(1, Math.floor(longest / 3));
  const sharesWords = isPartOf(words, knownWords) || isPartOf(knownWords, words);
  if (!sharesWords && Math.abs(letters.length - knownLetters.length) > most) return Infinity;
  const distance = editDistance(letters, knownLetters);
  const near = distance <= most ? distance : Infinity;
  return sharesWords ? Math.min(near, WORDS_DISTANCE + distance / (longest + 1)) : near;
}

/** Every second name has an `id`: that alone makes no two names alike. */
const isPartOf = (some: readonly string[], all: readonly string[]): boolean =>
  some.some((word) => word !== 'id') && some.every((word) => all.includes(word));

/** Damerau-Levenshtein distance (optimal string alignment). */
export function editDistance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 0; i < from.length; i++) {
    const row = [i + 1];
    for (let j = 0; j < to.length; j++) {
      const exchanged = last[j]! + (from[i] === to[j] ? 0 : 1);
      const isSwap = i > 0 && j > 0 && from[i] === to[j - 1] && from[i - 1] === to[j];
      const swapped = isSwap ? beforeLast[j - 1]! + 1 : Infinity;
      row.push(Math.min(exchanged, last[j + 1]! + 1, row[j]! + 1, swapped));
    }
    [beforeLast, last] = [last, row];
  }
  return last[to.length]!;
}
