/** Random bytes are fetched for so many span ids at once: a call of the generator costs as much as ten ids. */
const POOL_BYTES = 2_048;
const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

let pool: Uint8Array<ArrayBuffer> | undefined;
let used = POOL_BYTES;

/** @returns 32 hex digits, random, not all zero (W3C trace context). */
export const newTraceId = (): string => newSpanId() + newSpanId();

/** @returns 16 hex digits, random, not all zero. */
export function newSpanId(): string {
  // Some runtimes give no random bytes while modules are loaded.
  pool ??= new Uint8Array(POOL_BYTES);
  if (used === POOL_BYTES) {
    crypto.getRandomValues(pool);
    used = 0;
  }
  let id = '';
  for (const end = used + 8; used < end; used++) id += HEX[pool[used]!];
  return id === '0000000000000000' ? newSpanId() : id;
}
