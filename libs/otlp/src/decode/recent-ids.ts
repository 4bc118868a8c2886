/** A power of two. */
const PLACES = 1_024;

/**
 * Ids of an export as hex digits. The spans of a trace repeat its id and name each other as parents, so an id that was
 * read is looked for before digits are made again. An id has one place, where a newer one replaces it.
 */
export class RecentIds {
  /** Where in the body the id of each place begins. */
  private readonly starts = new Uint32Array(PLACES);
  private readonly texts: string[] = [];

  constructor(private readonly buffer: Buffer) {}

  read(start: number, end: number): string {
    const bytes = end - start;
    if (bytes !== SPAN_ID_BYTES && bytes !== TRACE_ID_BYTES) return this.buffer.toString('hex', start, end);
    const place = this.placeOf(end);
    const known = this.texts[place];
    if (known !== undefined && known.length === 2 * bytes && this.isSame(this.starts[place]!, start, bytes))
      return known;
    this.starts[place] = start;
    return (this.texts[place] = this.buffer.toString('hex', start, end));
  }

  /** By the last four bytes, which differ where ids are counted as well. */
  private placeOf(end: number): number {
    const { buffer } = this;
    const last = (buffer[end - 4]! << 24) | (buffer[end - 3]! << 16) | (buffer[end - 2]! << 8) | buffer[end - 1]!;
    return Math.imul(last, 0x9e3779b1) >>> 22;
  }

  private isSame(known: number, start: number, bytes: number): boolean {
    for (let at = 0; at < bytes; at++) if (this.buffer[known + at] !== this.buffer[start + at]) return false;
    return true;
  }
}

const SPAN_ID_BYTES = 8;
const TRACE_ID_BYTES = 16;
