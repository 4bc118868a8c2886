import zlib from 'node:zlib';
import type { Piece } from './body-buffer.js';

/** A body without its content codings. */
export interface DecodedBody {
  pieces: readonly Piece[];
  /** More came out than may be kept: the rest is missing. */
  truncated: boolean;
}

/** A body with more codings than anybody has use for is not decoded. */
const CODINGS_MAX = 4;

/** Codings of a `Content-Encoding`, outermost last; empty for none. */
export function codingsOf(contentEncoding: string | null | undefined): string[] {
  if (!contentEncoding) return [];
  return contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
}

/**
 * Takes content codings off a body, piece by piece, so that each decoded piece keeps the time its bytes came.
 * @param bytesMax the most that is decoded, against bodies that swell: the answers of a provider have no limit.
 * @returns what could be decoded: a broken or cut body ends where it breaks, an unknown coding gives nothing.
 */
export async function decodeBody(
  pieces: readonly Piece[],
  codings: readonly string[],
  bytesMax: number,
): Promise<DecodedBody> {
  if (codings.length > CODINGS_MAX) return { pieces: [], truncated: false };
  let body: DecodedBody = { pieces, truncated: false };
  for (const coding of codings.toReversed()) {
    if (body.pieces.length === 0) return body;
    const decoder = decoderOf(coding, body.pieces[0]?.data);
    if (decoder === undefined) return { pieces: [], truncated: false };
    const decoded = await decode(decoder, body.pieces, bytesMax);
    body = { pieces: decoded.pieces, truncated: body.truncated || decoded.truncated };
  }
  return body;
}

function decoderOf(coding: string, first: Buffer | undefined): zlib.Gunzip | undefined {
  const flush = { flush: zlib.constants.Z_SYNC_FLUSH, finishFlush: zlib.constants.Z_SYNC_FLUSH };
  switch (coding) {
    case 'gzip':
    case 'x-gzip':
      return zlib.createGunzip(flush);
    case 'deflate':
      // Some servers send the raw form; the zlib form begins with method 8 in the low bits.
      return first && (first[0]! & 0x0f) !== 8 ? zlib.createInflateRaw(flush) : zlib.createInflate(flush);
    case 'br': {
      const brotli = zlib.constants.BROTLI_OPERATION_FLUSH;
      return zlib.createBrotliDecompress({ flush: brotli, finishFlush: brotli });
    }
    case 'zstd': {
      const zstd = zlib.constants.ZSTD_e_flush;
      return zlib.createZstdDecompress({ flush: zstd, finishFlush: zstd });
    }
    default:
      return undefined;
  }
}

function decode(decoder: zlib.Gunzip, pieces: readonly Piece[], bytesMax: number): Promise<DecodedBody> {
  const decoded: Piece[] = [];
  let bytes = 0;
  let at = pieces[0]?.at ?? 0;
  return new Promise((resolve) => {
    const done = (truncated: boolean): void => {
      resolve({ pieces: decoded, truncated });
      decoder.destroy();
    };
    decoder.on('error', () => done(false));
    decoder.on('data', (data: Buffer) => {
      const room = bytesMax - bytes;
      bytes += data.length;
      if (room > 0) decoded.push({ data: data.length > room ? data.subarray(0, room) : data, at });
      if (bytes > bytesMax) done(true);
    });
    decoder.on('end', () => done(false));
    const feed = (index: number): void => {
      if (decoder.destroyed) return;
      const piece = pieces[index];
      if (piece === undefined) {
        decoder.end();
        return;
      }
      at = piece.at;
      // What a write puts out has been handed over a turn after its callback.
      decoder.write(piece.data, () => setImmediate(feed, index + 1));
    };
    feed(0);
  });
}
