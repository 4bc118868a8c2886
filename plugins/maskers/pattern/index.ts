import { defineMasker } from '@spandrel/plugin-api';
import { patternFinder } from './pattern-finder.js';

/** Longest pattern, in UTF-16 units. */
const PATTERN_LENGTH_MAX = 1_000;

/** A pattern of the user's own, in the syntax of RE2: linear in the length of the text, whatever the pattern. */
export default defineMasker({
  name: 'pattern',
  config: (z) =>
    z.strictObject({
      pattern: z.string().min(1).max(PATTERN_LENGTH_MAX).optional(),
      ignore_case: z.boolean().default(false),
    }),
  setup: () => ({
    label: 'pattern',
    finder({ pattern, ignore_case: ignoreCase }) {
      if (pattern === undefined) throw new Error('pattern is missing, an expression in the syntax of RE2');
      return patternFinder(pattern, ignoreCase);
    },
  }),
});
