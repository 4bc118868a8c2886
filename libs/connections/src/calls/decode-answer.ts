import { promisify } from 'node:util';
import zlib from 'node:zlib';

/** A call that got no usable answer. `message` is one sentence without secrets, fit for answers and results. */
export class ConnectionCallError extends Error {
  override readonly name = 'ConnectionCallError';

  constructor(
    /** `refused`: not sent; `network`: no connection, or cut; `timeout`; `aborted`: by the caller's signal; `too-large`. */
    readonly kind: 'refused' | 'network' | 'timeout' | 'aborted' | 'too-large',
    message: string,
  ) {
    super(message);
  }
}

/** Most bytes of an answer, as it comes and decoded. */
export const ANSWER_BYTES_MAX = 32 << 20;

export const tooLarge = (): ConnectionCallError =>
  new ConnectionCallError('too-large', `the answer is larger than ${ANSWER_BYTES_MAX >> 20} MiB`);

const gunzip = promisify(zlib.gunzip);
const inflate = promisify(zlib.inflate);
const inflateRaw = promisify(zlib.inflateRaw);
const brotliDecompress = promisify(zlib.brotliDecompress);
const zstdDecompress = promisify(zlib.zstdDecompress);

/** More than one coding is seen nowhere; each one is another chance to swell. */
const CODINGS_MAX = 2;

/**
 * Takes the content codings off a body; `undefined` for an unknown one, or a body that is broken.
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
