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

/** What a `traceparent` header says (https://www.w3.org/TR/trace-context/). */
export interface Traceparent {
  traceId: string;
  /** The span that called; null where the caller had a trace open and no span. */
  spanId: string | null;
}

/** Headers as `fetch`, Node and most frameworks have them. */
export type HeadersLike =
  | { get(name: string): string | null | undefined }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

const FORM = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/;

/**
 * The header names a span always; a call from a trace without one says so by the beginning of the trace's id, which is
 * no span's but for one chance in 2^64.
 */
const noSpan = (traceId: string): string => traceId.slice(0, 16);

/** @param spanId null where a trace is open and no span. */
export const formatTraceparent = (traceId: string, spanId: string | null): string =>
  `00-${traceId}-${spanId ?? noSpan(traceId)}-01`;

/** @returns undefined where there is no such header, or a malformed one. */
export function readTraceparent(headers: HeadersLike | null | undefined): Traceparent | undefined {
  const text = headers && readHeader(headers);
  const [, version, traceId, spanId, more] = FORM.exec(String(text ?? '').trim()) ?? [];
  if (traceId === undefined || spanId === undefined || (version === '00' && more !== undefined)) return undefined;
  return { traceId, spanId: spanId === noSpan(traceId) ? null : spanId };
}

function readHeader(headers: HeadersLike): unknown {
  if (typeof headers.get === 'function') return headers.get('traceparent');
  for (const [name, value] of Object.entries(headers)) if (name.toLowerCase() === 'traceparent') return value;
  return undefined;
}
