/**
 * The text without its case, so that texts that differ only in case become equal, whatever the locale: `ß`, `ẞ` and
 * `SS`, the three sigmas, `ſ` and `S`. Lower first, since only that knows `ẞ` and `İ`; upper last, since lower case
 * makes a sigma at a word's end another letter and a part of a text would fold otherwise than the whole.
 */
export const foldCase = (text: string): string => text.toLowerCase().toUpperCase();
