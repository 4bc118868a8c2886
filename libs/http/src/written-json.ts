import { itemTexts, type Texts } from './text-pieces.js';

/** An answer that is JSON text already: what is stored as text need not become objects to be shown. */
export class WrittenJson {
  /** @param texts the text, or the texts that it is made of, which may be made as they are taken. */
  constructor(readonly texts: string | Iterable<string>) {}
}

/**
 * A page of a list whose items are JSON texts.
 * @param member what the list is called: `spans`.
 * @param nextCursor left out of a list that has no pages.
 * @param more members in front of the list.
 */
export function writtenPage(
  member: string,
  items: Iterable<Texts>,
  nextCursor?: string | null,
  more: Readonly<Record<string, string>> = {},
): WrittenJson {
  const head = Object.entries(more).map(([name, text]) => `"${name}":${JSON.stringify(text)},`);
  const tail = nextCursor === undefined ? '' : `,"next_cursor":${JSON.stringify(nextCursor)}`;
  let count = 0;
  const page = function* (): Generator<string> {
    yield `{${head.join('')}"${member}":[`;
    yield* itemTexts(items, () => (count++ === 0 ? '' : ','));
    yield `],"count":${count}${tail}}`;
  };
  return new WrittenJson(page());
}
