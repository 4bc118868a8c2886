/** The built-in maskers on 2,250 texts with a value in each, and on 2,250 that only look so. */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { Masking } from '@spandrel/masking';
import { ALL_RULES, loadMaskers } from './all-maskers.ts';
import { nearMisses, plantedForms } from './corpus-forms.ts';
import { lookAlikes, plantedTexts, type CorpusText } from './corpus.ts';

const COUNT = 2_000;
/** Texts of forms that descriptions promise, and of code and prose with the same names. */
const FORMS = 250;
const PLANTED_SEED = 20261123;
const LOOK_ALIKE_SEED = 20261124;

let masking: Masking;
const failed: string[] = [];

beforeAll(async () => {
  const onFailure = (masker: string): void => void failed.push(masker);
  masking = new Masking(ALL_RULES, await loadMaskers(), { hashes: null, onFailure });
});

/** Three groups of four digits with a leading zero may be a phone number in Germany. */
const FALSE_ALARMS = [
  'card: <p>Reach us: <b>0351 4972 6166</b></p>',
  'card: const contact = "0993 3037 8845"; // v2.1.0',
  'card: Please send it to 0441 5910 1598 before Friday.',
  'card: <p>Reach us: <b>0902 2513 6212</b></p>',
];

/** The digits or letters of a value, however it is written. */
const bare = (value: string): string => value.replace(/^tel: /, '').toLowerCase();

const shownBy = (texts: readonly CorpusText[], shows: (text: CorpusText) => boolean): string[] =>
  texts.filter(shows).map(({ masker, text }) => `${masker}: ${text}`);

describe('the corpus of masking', () => {
  // docs/spec/masking.md#what-the-built-in-maskers-find reports these figures.
  it('has every planted value found', () => {
    const texts = [...plantedTexts(COUNT, PLANTED_SEED), ...plantedForms(FORMS, PLANTED_SEED)];
    expect(new Set(texts.map(({ text }) => text)).size).toBeGreaterThan(COUNT * 0.99);
    for (const { text, value } of texts) expect(text).toContain(value);
    expect(
      shownBy(texts, ({ text, value }) => masking.text(text, 'input').toLowerCase().includes(bare(value))),
    ).toEqual([]);
  });

  it('has every planted value found in JSON that is text, behind escapes, and leaves it JSON', () => {
    const spoken = plantedTexts(COUNT / 4, PLANTED_SEED).map((one) => ({
      ...one,
      said: `\n${one.value}\t"${one.text}"`,
    }));
    const forms = plantedForms(FORMS, LOOK_ALIKE_SEED).map((one) => ({ ...one, said: `\n\t"${one.text}"` }));
    for (const { said, value } of [...spoken, ...forms]) {
      const written = JSON.stringify(JSON.stringify({ text: said }));
      const masked = masking.text(written, 'input');
      const { text: read } = JSON.parse(JSON.parse(masked) as string) as { text: string };
      expect(read.toLowerCase()).not.toContain(bare(value));
    }
  });

  it('has hardly a text masked that only looks so', () => {
    const texts = [...lookAlikes(COUNT, LOOK_ALIKE_SEED), ...nearMisses(FORMS, LOOK_ALIKE_SEED)];
    expect(shownBy(texts, ({ text }) => masking.text(text, 'input') !== text)).toEqual(FALSE_ALARMS);
    expect(failed).toEqual([]);
  });
});
