import fc from 'fast-check';

/**
 * Any character: a third of them ASCII; the unit of texts instead of fast-check's `binary`, which first makes a map of
 * all the million characters there are, in every test file.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .oneof(
    fc.integer({ min: 0, max: 0x7f }),
    fc.integer({ min: 0x80, max: 0xd7ff }),
    fc.integer({ min: 0xe000, max: 0x10ffff }),
  )
  .map((code) => String.fromCodePoint(code));
