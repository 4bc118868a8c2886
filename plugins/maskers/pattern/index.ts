import { defineMasker, assertPatternSize, NOTHING_FOUND, type Finder, type Found } from '@spandrel/plugin-api';
import { RE2JS } from 're2js';

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

/**
 * Finds what a pattern matches. Whether there is anything is asked first, of an automaton that is several times as fast as the
 * search for its place.
 * @throws Error saying what is wrong with the pattern: a fault of syntax, a size beyond the limit, a match of the empty text.
 */
function patternFinder(pattern: string, ignoreCase: boolean): Finder {
  assertPatternSize(pattern, ignoreCase);
  const compiled = RE2JS.compile(pattern, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
  if (compiled.test('')) throw new Error('the pattern matches the empty text, so it would match everywhere');
  return {
    lengthMin: 1,
    numbers: true,
    written: true,
    work: compiled.programSize(),
    find: (text) => (compiled.test(text) ? matchesIn(text, compiled) : NOTHING_FOUND),
  };
}

/** One by one: to find the next one may take a look at all that is left of the text, so who asks may stop in between. */
function* matchesIn(text: string, compiled: RE2JS): Generator<Found, undefined> {
  const matcher = compiled.matcher(text);
  while (matcher.find()) {
    if (matcher.end() > matcher.start()) yield { start: matcher.start(), end: matcher.end() };
  }
}
