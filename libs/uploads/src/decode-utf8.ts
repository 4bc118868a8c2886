import { isUtf8 } from 'node:buffer';

/** A file that cannot be read on: there is no saying where the next row begins. `message` is fit for the caller. */
export class FileFault extends Error {
  override readonly name = 'FileFault';

  /** @param line the line of the file at which reading stopped, from 1 on. */
  constructor(
    readonly line: number,
    message: string,
  ) {
    super(message);
  }
}

const NEWLINE = 0x0a;
/** How many first bytes show a byte order mark and UTF-16. */
const HEAD_BYTES = 3;

/**
 * Text of UTF-8 bytes, without a byte order mark; chunks may be cut anywhere, and are read before the next is asked for.
 * @throws FileFault for bytes that are not UTF-8, UTF-16 among them, naming the line.
 */
export async function* decodeUtf8(chunks: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let line = 1;
  let rest: Buffer = Buffer.alloc(0);
  let begun = false;
  const decode = (bytes: Buffer): string => {
    const whole = begun ? bytes : withoutMark(bytes);
    begun = true;
    if (!isUtf8(whole)) throw new FileFault(line + linesBeforeFault(whole), 'the text is not valid UTF-8');
    line += newlines(whole);
    return whole.toString('utf8');
  };
  for await (const chunk of chunks) {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const end = begun || bytes.length >= HEAD_BYTES ? endOfCharacters(bytes) : 0;
    // A copy: the bytes of a chunk may be others once the next one is there.
    rest = Buffer.from(bytes.subarray(end));
    if (end > 0) yield decode(bytes.subarray(0, end));
  }
  if (rest.length > 0) yield decode(rest);
}

function withoutMark(bytes: Buffer): Buffer {
  const [first, second, third] = bytes;
  const isWide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  // A letter beside a NUL: UTF-16 without a mark.
  if (isWide || (second !== undefined && (first === 0) !== (second === 0))) {
    throw new FileFault(1, 'the text is UTF-16; save the file as UTF-8');
  }
  return first === 0xef && second === 0xbb && third === 0xbf ? bytes.subarray(3) : bytes;
}

/** Where the last character ends that is there as a whole; bytes that begin none count as whole. */
function endOfCharacters(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) break;
    if (byte >= 0xc0) return back < lengthOf(byte) ? bytes.length - back : bytes.length;
  }
  return bytes.length;
}

function lengthOf(lead: number): number {
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
}

function newlines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at !== -1; at = bytes.indexOf(NEWLINE, at + 1)) count++;
  return count;
}

function linesBeforeFault(bytes: Buffer): number {
  let start = 0;
  for (let lines = 0; ; lines++) {
    const end = bytes.indexOf(NEWLINE, start);
    if (end === -1 || !isUtf8(bytes.subarray(start, end))) return lines;
    start = end + 1;
  }
}
