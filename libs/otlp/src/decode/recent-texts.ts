/** Longer texts rarely come twice: prompts, answers, ids of requests. */
const BYTES_MAX = 24;
/** A power of two. */
const PLACES = 1_024;

/**
 * Reads texts from bytes and remembers short ones: models, roles, methods and hosts come again and again, and comparing a
 * few bytes costs a fraction of making a text of them. A text has one place, where a newer one replaces it.
 */
export class RecentTexts {
  private readonly texts: string[] = Array.from({ length: PLACES }, () => '');

  read(buffer: Buffer, start: number, end: number): string {
    if (start === end) return '';
    if (end - start > BYTES_MAX) return buffer.toString('utf8', start, end);
    const place = placeOf(buffer, start, end);
    const known = this.texts[place]!;
    if (isAscii(known, buffer, start, end)) return known;
    return (this.texts[place] = buffer.toString('utf8', start, end));
  }
}

/** By the length and four of the bytes: texts that differ elsewhere alone share a place. */
function placeOf(buffer: Buffer, start: number, end: number): number {
  const middle = (start + end) >>> 1;
  let hash = Math.imul(end - start, 0x9e3779b1) ^ buffer[start]!;
  hash = Math.imul(hash, 0x01000193) ^ buffer[middle]!;
  hash = Math.imul(hash, 0x01000193) ^ buffer[end - 1]!;
  hash = Math.imul(hash, 0x01000193) ^ buffer[(middle + end) >>> 1]!;
  return (hash ^ (hash >>> 15)) & (PLACES - 1);
}

/** Whether the bytes are this text and plain ASCII, where a byte is a character. */
function isAscii(text: string, buffer: Buffer, start: number, end: number): boolean {
  if (text.length !== end - start) return false;
  for (let at = 0; at < text.length; at++) {
    const byte = buffer[start + at]!;
    if (byte !== text.charCodeAt(at) || byte >= 0x80) return false;
  }
  return true;
}
