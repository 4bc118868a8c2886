import { joinSql, onPostgres, onSqlite, rawSql, sql, type Sql } from '@spandrel/storage';

/** Characters of a gram. Grams of three are met in every slice: see README.md. */
const GRAM = 4;

/** Bits that a filter has while texts are added; a power of two, as every size that it is folded to. */
const BITS_MAX = 1 << 22;
const BITS_MIN = 1 << 9;
/** A filter is folded as long as at most this part of its bits is set: beyond, it would hold texts that it was never given. */
const FILL_MAX = 0.4;

/** Grams of a needle that are asked for; more of them would hardly shut out another slice. */
const GRAMS_ASKED_MAX = 16;

/**
 * A Bloom filter of all runs of four characters of some texts, without the case of A to Z: a text that contains a needle has
 * all of the needle's runs. Characters are UTF-16 units of JSON text as it is stored; a needle is to be written like that.
 */
export class GramFilter {
  private constructor(private words: Uint32Array) {}

  static empty(): GramFilter {
    return new GramFilter(new Uint32Array(BITS_MAX / 32));
  }

  /** A filter as {@link hex} wrote it. */
  static ofHex(hex: string): GramFilter {
    return new GramFilter(new Uint32Array(new Uint8Array(Buffer.from(hex, 'hex')).buffer));
  }

  get bits(): number {
    return this.words.length * 32;
  }

  /** Adds the grams of a text, or of a part of it: parts overlap by three characters. */
  add(text: string, from = 0, until = text.length): void {
    const { words } = this;
    const mask = this.bits - 1;
    let key = 0;
    for (let at = from; at < until; at++) {
      key = (key << 8) | folded(text.charCodeAt(at));
      if (at - from < GRAM - 1) continue;
      const first = hashOf(key);
      const second = secondOf(first);
      words[(first & mask) >>> 5]! |= 1 << (first & 31);
      words[(second & mask) >>> 5]! |= 1 << (second & 31);
    }
  }

  /** Adds all that another filter holds, which is at least as large. */
  addAll(other: GramFilter): void {
    const { words } = this;
    const mask = words.length - 1;
    for (const [at, word] of other.words.entries()) words[at & mask]! |= word;
  }

  /**
   * Makes the filter as small as what it holds allows, by laying its halves over each other.
   * @param bitsMax what it must not be larger than, however full it is then.
   */
  fold(bitsMax: number): void {
    while (this.bits > BITS_MIN && (this.bits > bitsMax || this.fillWhenHalved() <= FILL_MAX)) {
      this.words = this.halved();
    }
  }

  /** Whether a text that was added may contain a needle. */
  mayContain(needle: string): boolean {
    return bitsAsked(needle, this.bits).every((bit) => (this.words[bit >>> 5]! >>> (bit & 31)) & 1);
  }

  fill(): number {
    return countOf(this.words) / this.bits;
  }

  /** The filter as hexadecimal text: bytes of eight bits each, the lowest bit first, as in memory. */
  hex(): string {
    const { buffer, byteOffset, byteLength } = this.words;
    return Buffer.from(buffer, byteOffset, byteLength).toString('hex');
  }

  private fillWhenHalved(): number {
    return countOf(this.halved()) / (this.bits / 2);
  }

  private halved(): Uint32Array {
    const half = this.words.length / 2;
    const words = this.words.slice(0, half);
    for (let at = 0; at < half; at++) words[at]! |= this.words[half + at]!;
    return words;
  }
}

/**
 * Hashes of the bits that a text with a needle in it has set, whatever the size of the filter: the bit is the rest of a hash
 * by the number of bits.
 * @returns none for a needle that is shorter than a gram, which every filter may hold.
 */
export function hashesAsked(needle: string): number[] {
  const grams = new Set<number>();
  let key = 0;
  for (let at = 0; at < needle.length; at++) {
    key = (key << 8) | folded(needle.charCodeAt(at));
    if (at >= GRAM - 1) grams.add(key);
  }
  const keys = [...grams];
  const step = Math.max(1, keys.length / GRAMS_ASKED_MAX);
  const hashes: number[] = [];
  for (let at = 0; at < keys.length; at += step) {
    const first = hashOf(keys[Math.floor(at)]!);
    hashes.push(first >>> 0, secondOf(first) >>> 0);
  }
  return hashes;
}

const bitsAsked = (needle: string, bits: number): number[] => hashesAsked(needle).map((hash) => hash % bits);

/** Eight bits of a character, A to Z as a to z; others may share theirs. */
function folded(unit: number): number {
  if (unit < 0x80) return unit >= 65 && unit <= 90 ? unit | 32 : unit;
  return (unit ^ (unit >>> 8) ^ 0x80) & 0xff;
}

function hashOf(key: number): number {
  let hash = Math.imul(key ^ (key >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

const secondOf = (hash: number): number => {
  const mixed = Math.imul(hash, 0x9e3779b1);
  return mixed ^ (mixed >>> 15);
};

function countOf(words: Uint32Array): number {
  let count = 0;
  for (let at = 0; at < words.length; at++) {
    let word = words[at]!;
    word -= (word >>> 1) & 0x55555555;
    word = (word & 0x33333333) + ((word >>> 2) & 0x33333333);
    count += Math.imul((word + (word >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return count;
}

/** For each bit of a byte, all bytes that have it, as hexadecimal text: SQLite has no function for a byte of a blob. */
const BYTES_WITH_BIT = Array.from({ length: 8 }, (_, bit) =>
  Buffer.from(Array.from({ length: 256 }, (_byte, value) => value).filter((value) => (value >>> bit) & 1)).toString(
    'hex',
  ),
);

/** The filter that hexadecimal text says, to be stored. */
export const gramsOfHex = (hex: string): Sql =>
  sql`${onSqlite(sql`unhex(${hex})`)}${onPostgres(sql`decode(${hex}, 'hex')`)}`;

/** A stored filter as hexadecimal text. @param column of constant text. */
export const hexOfGrams = (column: string): Sql =>
  sql`${onSqlite(rawSql(`lower(hex(${column}))`))}${onPostgres(rawSql(`encode(${column}, 'hex')`))}`;

/**
 * Whether a stored filter has the bits of some hashes. The database looks at single bytes, so that no filter leaves it.
 */
export function hasGrams(column: string, hashes: readonly number[]): Sql {
  const grams = rawSql(column);
  const tests = hashes.map((hash) => {
    const [byte, bit] = [hash >>> 3, hash & 7];
    const ofSqlite = sql`instr(unhex(${BYTES_WITH_BIT[bit]!}), substr(${grams}, 1 + ${byte} % length(${grams}), 1)) > 0`;
    const ofPostgres = sql`get_byte(substring(${grams} from 1 + cast(${byte} as integer) % octet_length(${grams}) for 1), 0)
      & cast(${1 << bit} as integer) <> 0`;
    return sql`${onSqlite(ofSqlite)}${onPostgres(ofPostgres)}`;
  });
  return joinSql(tests, ' and ');
}
