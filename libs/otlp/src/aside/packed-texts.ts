/** Texts in memory that threads share. */
export interface PackedTexts {
  /** One text after the other, in UTF-8. */
  readonly bytes: SharedArrayBuffer;
  /** Where each of them ends. */
  readonly ends: Uint32Array;
}

/** Part of an export as JSON texts. */
export interface PackedPage extends PackedTexts {
  /** Items of the export; right where it was read from its beginning. */
  readonly count: number;
  /** The first item that is not in this page; `null` when this is the last one. */
  readonly next: number | null;
}

/** Bytes of texts beyond which the items that follow are read another time. */
const BYTES_MAX = 16_777_216;

/**
 * Reads items from one place on, as far as they fit. Those behind are decoded where the export is read from its beginning, so that
 * one which is damaged anywhere leaves nothing.
 * @param textsOf what is packed of an item: none, or several.
 */
export function packedPage<Item>(
  items: Iterable<Item>,
  from: number,
  textsOf: (item: Item) => readonly string[],
): PackedPage {
  const parts: Buffer[] = [];
  let length = 0;
  let next: number | null = null;
  let count = 0;
  for (const item of items) {
    const place = count++;
    if (place < from || next !== null) continue;
    for (const text of textsOf(item)) {
      const part = Buffer.from(text);
      parts.push(part);
      length += part.length;
    }
    if (length < BYTES_MAX) continue;
    next = count;
    if (from > 0) break;
  }
  return { ...packed(parts, length), count, next };
}

function packed(parts: readonly Buffer[], length: number): PackedTexts {
  const bytes = new SharedArrayBuffer(length);
  const all = new Uint8Array(bytes);
  const ends = new Uint32Array(parts.length);
  let end = 0;
  for (const [at, part] of parts.entries()) {
    all.set(part, end);
    ends[at] = end += part.length;
  }
  return { bytes, ends };
}

/** The texts, one after the other. */
export function* unpackedTexts({ bytes, ends }: PackedTexts): Generator<string, void, undefined> {
  const all = Buffer.from(bytes);
  let start = 0;
  for (const end of ends) {
    yield all.toString('utf8', start, end);
    start = end;
  }
}
