import { memo } from 'react';
import { markMatches } from './find-in-text.js';

/** A text with what is looked for marked in it. */
export const MarkedText = memo(function MarkedText({ text, sought }: { text: string; sought: string }) {
  if (sought === '') return text;
  // Pieces of one text have nothing but their order to be told apart by.
  // oxlint-disable-next-line react/no-array-index-key
  return markMatches(text, sought).map((piece, index) =>
    piece.isMatch ? <mark key={index}>{piece.text}</mark> : piece.text,
  );
});
