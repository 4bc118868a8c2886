import { PREVIEW_CHARS } from './cut-text.js';
import { slim, TEXT_CHARS, tooSmall } from './slim.js';

export interface Page {
  items: readonly unknown[];
  /** Where the next page begins; `null` on the last one. */
  nextCursor: string | null;
  others?: Readonly<Record<string, unknown>>;
}

interface ListToFit {
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

export interface Part {
  name: string;
  value: unknown;
}

/** Writes parts that fit, the first one always; what is left out is named with its characters. @throws Invalid */
export function fitParts([first, ...others]: readonly [Part, ...Part[]], maxChars: number): string {
  const shown: Record<string, unknown> = {};
  const leftOut: Record<string, number> = Object.fromEntries(
    others.map(({ name, value }) => [name, JSON.stringify(value).length]),
  );
  // Room for the names of everything that may be left out.
  const reserved = JSON.stringify({ left_out: leftOut }).length;
  shown[first.name] = fitFirst(first, maxChars, reserved);
  for (const { name, value } of others) {
    if (JSON.stringify({ ...shown, [name]: value }).length + reserved > maxChars) continue;
    shown[name] = value;
    delete leftOut[name];
  }
  return JSON.stringify(Object.keys(leftOut).length === 0 ? shown : { ...shown, left_out: leftOut });
}

function fitFirst({ name, value }: Part, maxChars: number, reserved: number): unknown {
  let needed = 0;
  for (const chars of TEXT_CHARS) {
    const cut = slim(value, chars);
    needed = JSON.stringify({ [name]: cut }).length + reserved;
    if (needed <= maxChars) return cut;
  }
  throw tooSmall(needed);
}
