/**
 * Compares texts as both databases order them, by their bytes: negative when the first comes before the second. JavaScript
 * compares UTF-16 units, which has characters beyond U+FFFF before some others.
 */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return ASCII.test(a) && ASCII.test(b) ? (a < b ? -1 : 1) : Buffer.compare(Buffer.from(a), Buffer.from(b));
}

const ASCII = /^[\0-\x7f]*$/;
