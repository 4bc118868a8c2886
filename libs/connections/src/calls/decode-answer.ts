import { promisify } from 'node:util';
import zlib from 'node:zlib';
import { ANSWER_BYTES_MAX, tooLarge } from './connection-call-error.js';

const gunzip = promisify(zlib.gunzip);
const inflate = promisify(zlib.inflate);
const inflateRaw = promisify(zlib.inflateRaw);
const brotliDecompress = promisify(zlib.brotliDecompress);
const zstdDecompress = promisify(zlib.zstdDecompress);

/** More than one coding is seen nowhere; each one is another chance to swell. */
const CODINGS_MAX = 2;

/**
 * Takes the content codings off a body that was compressed though it was not asked for.
 * @param contentEncoding value of the header.
 * @returns `undefined` for a coding that is not known or a body that is broken.
 * @throws ConnectionCallError `too-large` when more than {@link ANSWER_BYTES_MAX} bytes come out.
 */
export async function decodeAnswer(body: Buffer, contentEncoding: string): Promise<Buffer | undefined> {
  const codings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length > CODINGS_MAX) return undefined;
  let decoded: Buffer | undefined = body;
  for (const coding of codings.toReversed()) decoded = decoded && (await decodeOne(decoded, coding));
  return decoded;
}

async function decodeOne(body: Buffer, coding: string): Promise<Buffer | undefined> {
  const options = { maxOutputLength: ANSWER_BYTES_MAX };
  try {
    switch (coding) {
      case 'gzip':
      case 'x-gzip':
        return await gunzip(body, options);
      case 'deflate':
        // Some servers send the raw form; the zlib form begins with method 8 in the low bits.
        return await ((body[0]! & 0x0f) === 8 ? inflate(body, options) : inflateRaw(body, options));
      case 'br':
        return await brotliDecompress(body, options);
      case 'zstd':
        return await zstdDecompress(body, options);
      default:
        return undefined;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
    return undefined;
  }
}
