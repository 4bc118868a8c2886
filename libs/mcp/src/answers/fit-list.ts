import { PREVIEW_CHARS } from './cut-text.js';
import { slim, TEXT_CHARS, tooSmall } from './slim.js';

export interface Page {
  items: readonly unknown[];
  /** Where the next page begins; `null` on the last one. */
  nextCursor: string | null;
  /** Members of the answer beside the list. */
  others?: Readonly<Record<string, unknown>>;
}

export interface ListToFit {
  /** Name of the member that has the items: `traces`. */
  name: string;
  limit: number;
  maxChars: number;
  /** Reads a page of so many items at most, from the same place each time. */
  read: (limit: number) => Promise<Page>;
}

/** Writes a page of a list that fits: one too long is read again with fewer items. @throws Invalid when not one item fits. */
export async function fitList({ name, limit, maxChars, read }: ListToFit): Promise<string> {
  let asked = limit;
  for (;;) {
    const page = slimmed(await read(asked), PREVIEW_CHARS);
    const text = write(name, page);
    if (text.length <= maxChars) return text;
    if (page.items.length <= 1) return fitItem(name, page, maxChars);
    asked = Math.max(1, Math.min(countThatFits(name, page, maxChars), page.items.length - 1));
  }
}

const slimmed = (page: Page, chars: number): Page => ({ ...page, items: page.items.map((item) => slim(item, chars)) });

const write = (name: string, { items, nextCursor, others }: Page): string =>
  JSON.stringify({ ...others, [name]: items, next_cursor: nextCursor });

/** How many items fit beside a cursor as long as this page's, or as one is likely to be. */
function countThatFits(name: string, page: Page, maxChars: number): number {
  const nextCursor = page.nextCursor ?? 'c'.repeat(LIKELY_CURSOR_CHARS);
  let left = maxChars - write(name, { ...page, items: [], nextCursor }).length;
  const tooMany = page.items.findIndex((item) => {
    left -= JSON.stringify(item).length + 1;
    return left < 0;
  });
  return tooMany === -1 ? page.items.length : tooMany;
}

const LIKELY_CURSOR_CHARS = 120;

function fitItem(name: string, page: Page, maxChars: number): string {
  let text = '';
  for (const chars of TEXT_CHARS) {
    text = write(name, slimmed(page, chars));
    if (text.length <= maxChars) return text;
  }
  throw tooSmall(text.length);
}
