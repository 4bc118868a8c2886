/** Where the UTF-8 of a text lies. */
export interface StoredText {
  readonly chunk: Uint8Array;
  readonly start: number;
  readonly end: number;
}

const CHUNK_BYTES = 131_072;
/** Longer texts have memory of their own, so that a chunk's rest is never large. */
const SHARED_BYTES_MAX = CHUNK_BYTES / 8;

const encoder = new TextEncoder();

/**
 * Keeps texts as the bytes that are sent. What waits takes the memory it is counted with: a string with one character
 * beyond Latin-1 would take twice as much, and an array for each text some hundred bytes more. The garbage collector
 * takes a chunk once nothing of it waits.
 */
export class SpanTexts {
  private chunk = new Uint8Array(0);
  private used = 0;

  /** @returns `null`, and keeps nothing, when the text has more than `bytesMax` bytes. */
  store(text: string, bytesMax: number): StoredText | null {
    if (text.length > bytesMax) return null;
    if (text.length > SHARED_BYTES_MAX) return alone(text, bytesMax);
    if (text.length > this.chunk.length - this.used) this.renew();
    let start = this.used;
    let { read, written } = encoder.encodeInto(text, this.chunk.subarray(start));
    if (read < text.length) {
      this.renew();
      start = 0;
      ({ read, written } = encoder.encodeInto(text, this.chunk));
    }
    if (written > bytesMax) return null;
    this.used = start + written;
    return { chunk: this.chunk, start, end: this.used };
  }

  private renew(): void {
    this.chunk = new Uint8Array(CHUNK_BYTES);
    this.used = 0;
  }
}

function alone(text: string, bytesMax: number): StoredText | null {
  const chunk = encoder.encode(text);
  return chunk.length > bytesMax ? null : { chunk, start: 0, end: chunk.length };
}
