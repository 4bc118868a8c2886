import { randomFillSync } from 'node:crypto';
import { encodeTime } from 'ulid';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const PAIRS = Array.from({ length: 1_024 }, (_, n) => ALPHABET[n >> 5]! + ALPHABET[n & 31]!);

/** Characters of an id that hold its millisecond, and those behind them that are drawn once a millisecond. */
const TIME_LENGTH = 10;
const DRAWN_LENGTH = 10;
/** The last six characters count from a number that is drawn too. */
const COUNT_MAX = 2 ** 30 - 1;

/** Random bytes drawn in bulk: one draw a character costs more than the rest of an id. */
const pool = new Uint8Array(4_096);
let used = pool.length;

/** The millisecond of the last id, what it began with, and the number that it ended with. */
let lastMs = -1;
let beginning = '';
let count = 0;

/** Makes an identifier: a ULID, greater than every one before it in this process (docs/spec/general.md#identifiers). */
export function newId(): string {
  const now = Date.now();
  if (now > lastMs) draw(now);
  // No clock reaches this within a millisecond; the ids of the next one begin early then.
  else if (count === COUNT_MAX) draw(lastMs + 1);
  else count++;
  return beginning + PAIRS[count >> 20]! + PAIRS[(count >> 10) & 1_023]! + PAIRS[count & 1_023]!;
}

function draw(ms: number): void {
  lastMs = ms;
  beginning = encodeTime(ms, TIME_LENGTH);
  for (let n = 0; n < DRAWN_LENGTH; n++) beginning += ALPHABET[randomByte() & 31];
  // The highest bit stays free for counting.
  count = ((randomByte() & 31) << 24) | (randomByte() << 16) | (randomByte() << 8) | randomByte();
}

function randomByte(): number {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return pool[used++]!;
}
