import type { Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';

/** A zstd stream may want a window of this many bytes, as a power of two; those of exporters are 8 MiB at most. */
const ZSTD_WINDOW_LOG_MAX = 25;

/** What unpacks a body, by its `Content-Encoding`. */
const UNPACKERS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['zstd', () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW_LOG_MAX } })],
  ['deflate', () => createInflate()],
  ['br', () => createBrotliDecompress()],
]);

/** The header `Accept-Encoding` of an answer that refuses another coding. */
export const ACCEPTED_CODINGS = 'gzip, zstd, deflate, br';

/**
 * @param coding in lower case; `undefined` for a body that is sent as it is.
 * @returns a new stream that unpacks; `null` for a body that is not packed; `undefined` for a coding that is not known.
 */
export const unpackerOf = (coding: string | undefined): Transform | null | undefined =>
  coding === undefined || coding === '' ? null : UNPACKERS.get(coding)?.();
