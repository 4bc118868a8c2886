/** Sampling of live traffic: which traces scoring rules look at (docs/spec/online-scoring.md#the-sample). */

const [P1, P2, P3] = [0x9e3779b185ebca87n, 0xc2b2ae3d27d4eb4fn, 0x165667b19e3779f9n];
const [P4, P5] = [0x85ebca77c2b2ae63n, 0x27d4eb2f165667c5n];

const cut = (value: bigint): bigint => BigInt.asUintN(64, value);
const rotate = (value: bigint, by: bigint): bigint => cut((value << by) | (value >> (64n - by)));
const round = (lane: bigint, input: bigint): bigint => cut(rotate(cut(lane + input * P2), 31n) * P1);

/** xxHash64 of bytes with the seed 0 (https://github.com/Cyan4973/xxHash/blob/dev/doc/xxhash_spec.md#xxh64-algorithm-description). */
export function xxh64(bytes: Uint8Array): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = 0;
  let hash = P5;
  if (bytes.length >= 32) {
    const lanes = [cut(P1 + P2), P2, 0n, cut(-P1)];
    for (; at + 32 <= bytes.length; at += 32) {
      for (let lane = 0; lane < 4; lane++) lanes[lane] = round(lanes[lane]!, view.getBigUint64(at + lane * 8, true));
    }
    hash = [1n, 7n, 12n, 18n].reduce((sum, by, lane) => cut(sum + rotate(lanes[lane]!, by)), 0n);
    for (const lane of lanes) hash = cut((hash ^ round(0n, lane)) * P1 + P4);
  }
  hash = cut(hash + BigInt(bytes.length));
  for (; at + 8 <= bytes.length; at += 8) {
    hash = cut(rotate(hash ^ round(0n, view.getBigUint64(at, true)), 27n) * P1 + P4);
  }
  if (at + 4 <= bytes.length) {
    hash = cut(rotate(hash ^ cut(BigInt(view.getUint32(at, true)) * P1), 23n) * P2 + P3);
    at += 4;
  }
  for (; at < bytes.length; at++) hash = cut(rotate(hash ^ cut(BigInt(bytes[at]!) * P5), 11n) * P1);
  hash = cut((hash ^ (hash >> 33n)) * P2);
  hash = cut((hash ^ (hash >> 29n)) * P3);
  return hash ^ (hash >> 32n);
}

/** The hash that decides whether a trace is in samples of a cohort: xxh64 of `cohort \0 trace_id` in UTF-8, 16 hex digits. */
export const sampleHash = (cohort: string, traceId: string): string =>
  xxh64(new TextEncoder().encode(`${cohort}\0${traceId}`))
    .toString(16)
    .padStart(16, '0');

/**
 * Whether a sample of a rate (0: none, 1: all) takes this {@link sampleHash}: its first 53 bits are below the rate, so that
 * a sample of a higher rate holds all of one of a lower rate.
 */
export const isInSample = (hash: string, rate: number): boolean => Number(BigInt(`0x${hash}`) >> 11n) / 2 ** 53 < rate;
