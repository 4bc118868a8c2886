import { defineScorer, plainTextOf } from '@spandrel/plugin-api';

/** 1 when the output has the expected text in it, in any case, else 0 (docs/spec/evaluations.md#scoring-strategies). */
export default defineScorer({
  name: 'Contains',
  setup: () => ({
    needsExpected: true,
    score: ({ output, expected }) => ({
      score: foldCase(output).includes(foldCase(plainTextOf(expected))) ? 1 : 0,
    }),
  }),
});

/**
 * The text without its case, so that texts that differ only in case become equal, whatever the locale: `ß`, `ẞ` and
 * `SS`, the three sigmas, `ſ` and `S`. Lower first, since only that knows `ẞ` and `İ`; upper last, since lower case
 * makes a sigma at a word's end another letter and a part of a text would fold otherwise than the whole.
 */
export const foldCase = (text: string): string => text.toLowerCase().toUpperCase();
