/** Names beyond this length are read as they come; beyond this many the table begins anew. */
const NAME_BYTES_MAX = 64;
const NAMES_MAX = 8_192;

interface Entry {
  bytes: Uint8Array;
  name: string;
  /** The name that came after this one the last time, which it mostly does again. */
  next: Entry | undefined;
}

/**
 * Reads names from bytes and gives the same string for the same bytes: exporters send few names again and
 * again, and looking one up costs less than decoding it.
 */
export class NameTable {
  private readonly entries = new Map<number, Entry>();
  private last: Entry | undefined;

  read(buffer: Buffer, start: number, end: number): string {
    if (end - start > NAME_BYTES_MAX) return buffer.toString('utf8', start, end);
    const expected = this.last?.next;
    if (expected !== undefined && isSame(expected.bytes, buffer, start, end)) {
      this.last = expected;
      return expected.name;
    }
    const hash = hashOf(buffer, start, end);
    const known = this.entries.get(hash);
    if (known !== undefined && isSame(known.bytes, buffer, start, end)) return this.follow(known);
    const name = buffer.toString('utf8', start, end);
    if (known !== undefined) return name;
    // Whoever sends ever new names must not fill the table for good.
    if (this.entries.size >= NAMES_MAX) {
      this.entries.clear();
      this.last = undefined;
    }
    const bytes = Uint8Array.prototype.slice.call(buffer, start, end);
    const entry = { bytes, name: sameAsLiteral(name), next: undefined };
    this.entries.set(hash, entry);
    return this.follow(entry);
  }

  private follow(entry: Entry): string {
    if (this.last !== undefined) this.last.next = entry;
    this.last = entry;
    return entry.name;
  }
}

/**
 * The one string that the engine keeps for all members and literals of a name: where an attribute is looked up by a
 * literal, no characters are compared.
 */
const sameAsLiteral = (name: string): string => Object.keys({ [name]: true })[0]!;

/** FNV-1a of 32 bits. */
function hashOf(buffer: Buffer, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ buffer[at]!, 0x01000193);
  return hash;
}

function isSame(bytes: Uint8Array, buffer: Buffer, start: number, end: number): boolean {
  if (bytes.length !== end - start) return false;
  for (let at = 0; at < bytes.length; at++) if (bytes[at] !== buffer[start + at]) return false;
  return true;
}
