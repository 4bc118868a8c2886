import { describe, expect, it } from '@jest/globals';
import { searchTerms } from './search-index.js';

const document = (text: string): string[] => searchTerms(text, 'document');
const query = (text: string): string[] => searchTerms(text, 'query');

describe('searchTerms', () => {
  it.each<[language: string, text: string, terms: string[]]>([
    ['German', 'Die Straße, Übergröße!', ['die', 'straße', 'übergröße']],
    ['decomposed letters', 'U\u0308ber', ['über']],
    ['full-width letters', 'ＡＢＣ１', ['abc1']],
    ['Arabic', 'مرحبا بالعالم', ['مرحبا', 'بالعالم']],
    ['Hindi', 'नमस्ते दुनिया', ['नमस्ते', 'दुनिया']],
    ['an emoji', 'ok🎉ok', ['ok', '🎉', 'ok']],
    ['ids and numbers', 'order_42-x', ['order_42', 'x']],
    ['nothing', ' .!\u0000 ', []],
  ])('%s', (_language, text, terms) => {
    expect(document(text)).toEqual(terms);
    expect(query(text)).toEqual(terms);
  });

  it('takes Chinese, Japanese and Thai by characters and pairs, and asks for pairs', () => {
    expect(document('退款政策')).toEqual(['退', '款', '政', '策', '退款', '款政', '政策']);
    expect(query('退款政策')).toEqual(['退款', '款政', '政策']);
    expect(query('款')).toEqual(['款']);
    expect(query('GPTの返金')).toEqual(['gpt', 'の返', '返金']);
  });

  it.each(['返金ポリシーについて', 'นโยบายการคืนเงิน', '我们的退款政策'])('finds any part of %s', (text) => {
    const kept = new Set(document(text));
    for (let from = 0; from < text.length; from++) {
      for (let to = from + 1; to <= text.length; to++) {
        const missing = query(text.slice(from, to)).filter((term) => !kept.has(term));
        // A mark that is cut off its letter has nothing to stand on.
        if (!/^\p{M}/u.test(text.slice(from))) expect(missing).toEqual([]);
      }
    }
  });

  it('keeps what a word begins with when it is very long', () => {
    expect(document('a'.repeat(1_000))).toEqual(['a'.repeat(64)]);
  });
});
