import { random } from '../test/support/random.ts';

const SYLLABLES = 'ta re mi so lan der vo ki sha ne pu ro gal tis em ber on qua fe li da mu cor ven ath is po zu'.split(
  ' ',
);
const WORDS = words(4_000);

/**
 * Text that compresses about as prose does: words of a large vocabulary, most of them seldom, in no order. A text of one
 * letter, or of twenty words, would make whatever compresses it look ten times better than it is.
 * @param n which text; the same number gives the same one.
 */
export function proseOf(n: number, length: number): string {
  const below = random(n + 1);
  let text = '';
  while (text.length < length) {
    const common = below(2) === 0;
    text += `${WORDS[below(common ? 150 : WORDS.length)]}${below(12) === 0 ? '. ' : ' '}`;
  }
  return text.slice(0, length);
}

function words(count: number): string[] {
  const below = random(11);
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + below(4) }, () => SYLLABLES[below(SYLLABLES.length)]).join(''),
  );
}
