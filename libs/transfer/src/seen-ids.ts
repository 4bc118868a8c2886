const HASHES = 4;
const FIRST_SEED = 0x811c9dc5;
const SECOND_SEED = 0x9747b28c;

/**
 * Which ids have been seen, in memory that does not grow: a Bloom filter. An id that was added is always known; one that
 * was not is taken for known once in a billion times among 50,000 ids, once in six thousand among a million.
 */
export class SeenIds {
  private readonly bits: Uint32Array;

  /** @param bytes a power of two. */
  constructor(bytes = 4 * 1024 * 1024) {
    this.bits = new Uint32Array(bytes / 4);
  }

  /** @returns `true`. */
  add(id: string): true {
    const { bits } = this;
    const first = hash(id, FIRST_SEED);
    const second = hash(id, SECOND_SEED) | 1;
    for (let n = 0; n < HASHES; n++) {
      const bit = this.bitAt(first + Math.imul(n, second));
      bits[bit >>> 5]! |= 1 << (bit & 31);
    }
    return true;
  }

  has(id: string): boolean {
    const { bits } = this;
    const first = hash(id, FIRST_SEED);
    const second = hash(id, SECOND_SEED) | 1;
    for (let n = 0; n < HASHES; n++) {
      const bit = this.bitAt(first + Math.imul(n, second));
      if ((bits[bit >>> 5]! & (1 << (bit & 31))) === 0) return false;
    }
    return true;
  }

  private bitAt(hashed: number): number {
    return hashed & (this.bits.length * 32 - 1);
  }
}

/** FNV-1a, its bits mixed as MurmurHash3 does at its end. */
function hash(text: string, seed: number): number {
  let value = seed;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return value ^ (value >>> 16);
}
