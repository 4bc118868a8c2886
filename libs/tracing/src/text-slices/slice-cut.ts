import type { SizedSpan, SliceRange } from './text-slice.store.js';

/** What a slice has of spans and of bytes of texts, about. */
export interface SliceSize {
  spans: number;
  bytes: number;
}

/** A slice with the spans that it is made of. */
export interface CutSlice {
  startedFrom: number;
  spans: SizedSpan[];
  /** There are so many spans or so much text at one start that a filter of them would say nothing. */
  tooLarge: boolean;
}

/** A slice grows to so many times its size where there is nothing behind it, so that no small one is left. */
const REST = 1.5;
/** Beyond so many times its size a slice gets no filter. */
const LARGE = 8;

/**
 * Cuts the newest slice off an open range. All spans of one start come to be in one slice.
 * @param spans of the range, newest first, a page at a time.
 */
export async function cutSlice(
  open: SliceRange,
  spans: AsyncIterable<readonly SizedSpan[]>,
  size: SliceSize,
): Promise<CutSlice> {
  const taken: SizedSpan[] = [];
  let bytes = 0;
  let full: number | undefined;
  for await (const page of spans) {
    for (const span of page) {
      const last = taken.at(-1);
      const ended = last !== undefined && last.startedAt !== span.startedAt;
      if (ended && full === undefined && (taken.length >= size.spans || bytes >= size.bytes)) full = taken.length;
      if (full !== undefined && (taken.length >= size.spans * REST || bytes >= size.bytes * REST)) {
        return { startedFrom: taken[full - 1]!.startedAt, spans: taken.slice(0, full), tooLarge: false };
      }
      taken.push(span);
      bytes += span.bytes;
      if (full === undefined && (taken.length > size.spans * LARGE || bytes > size.bytes * LARGE)) {
        return { startedFrom: span.startedAt, spans: taken, tooLarge: true };
      }
    }
  }
  return { startedFrom: open.startedFrom, spans: taken, tooLarge: false };
}
