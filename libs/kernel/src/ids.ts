import { randomFillSync } from 'node:crypto';
import { monotonicFactory } from 'ulid';

/** Makes identifiers: ULIDs, strictly increasing within a process (docs/spec/general.md#identifiers). */
export const newId: () => string = monotonicFactory(randomFraction);

/** Random bytes drawn in bulk: one draw a character costs more than the rest of an id. */
const pool = new Uint8Array(4_096);
let used = pool.length;

function randomFraction(): number {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  return pool[used++]! / 256;
}
