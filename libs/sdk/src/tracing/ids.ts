/** Random bytes are fetched for so many span ids at once: a call of the generator costs as much as ten ids. */
const POOL_BYTES = 2_048;
const DIGITS = Array.from('0123456789abcdef', (digit) => digit.charCodeAt(0));

let pool: Uint8Array<ArrayBuffer> | undefined;
let used = POOL_BYTES;

const traceDigits = Array.from({ length: 32 }, () => 0);
const spanDigits = traceDigits.slice(16);

/** @returns 32 hex digits, random, not all zero (W3C trace context). */
export const newTraceId = (): string => newId(traceDigits);

/** @returns 16 hex digits, random, not all zero. */
export const newSpanId = (): string => newId(spanDigits);

/** @param codes room for the digits: a text made of them at once is one piece, which waits in a quarter of the memory. */
function newId(codes: number[]): string {
  // Some runtimes give no random bytes while modules are loaded.
  pool ??= new Uint8Array(POOL_BYTES);
  let sum = 0;
  for (let at = 0; at < codes.length; at += 2) {
    if (used === POOL_BYTES) {
      crypto.getRandomValues(pool);
      used = 0;
    }
    const byte = pool[used++]!;
    sum += byte;
    codes[at] = DIGITS[byte >> 4]!;
    codes[at + 1] = DIGITS[byte & 15]!;
  }
  return sum === 0 ? newId(codes) : String.fromCharCode(...codes);
}
