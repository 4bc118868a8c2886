/** Scripts that are written without spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー々]/u;

/** Letters and digits with the marks on them; an emoji is a word of its own. */
const WORDS = /[\p{L}\p{N}\p{M}_]+|\p{Extended_Pictographic}/gu;

/** Longest word that is kept, in UTF-16 units; what is beyond is cut off. */
const TERM_LENGTH_MAX = 64;

/**
 * The words of a text in any language, as a text index keeps and looks for them: compatibility forms and case are
 * folded. Scripts without spaces become every single character and every two in a row. In order, with repetitions.
 * @param purpose a query of two characters or more in a row asks for the pairs alone.
 */
export function searchTerms(text: string, purpose: 'document' | 'query'): string[] {
  const terms: string[] = [];
  for (const [word] of text.normalize('NFKC').toLowerCase().normalize('NFC').matchAll(WORDS)) {
    for (const run of runsOf(word)) {
      if (!UNSPACED.test(run[0]!)) terms.push(cut(run.join('')));
      else terms.push(...pairsOf(run, purpose));
    }
  }
  return terms;
}

function runsOf(word: string): string[][] {
  const runs: string[][] = [];
  let unspaced: boolean | undefined;
  for (const character of word) {
    // A mark belongs to what it stands on.
    const is = /^\p{M}$/u.test(character) && unspaced !== undefined ? unspaced : UNSPACED.test(character);
    if (is === unspaced) runs.at(-1)!.push(character);
    else runs.push([character]);
    unspaced = is;
  }
  return runs;
}

function pairsOf(run: readonly string[], purpose: 'document' | 'query'): string[] {
  const pairs = run.slice(1).map((character, index) => run[index]! + character);
  return purpose === 'query' && pairs.length > 0 ? pairs : [...run, ...pairs];
}

const cut = (term: string): string => term.slice(0, TERM_LENGTH_MAX).toWellFormed();
