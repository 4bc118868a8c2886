import { pipeline } from 'node:stream/promises';
import type { Readable, Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { DomainError, Invalid } from '@spandrel/kernel';

interface BodyLimits {
  /** `Content-Length`; `undefined` in chunks. */
  length?: number | undefined;
  /** Most bytes of the body as it comes, and of what it unpacks to (setting `limits.otlp_bytes`). */
  bytesMax: number;
  budget: BodyBudget;
}

/**
 * Reads a body as a whole, unpacked, in chunks. Unpacking stops at the limit, so that a bomb takes no memory. A body whose
 * length is over the limit is refused before any of it has come. What is left of a refused body is let pass, so that the client
 * hears the answer.
 * @param unpacker as `unpackerOf` gives it.
 * @throws Invalid `payload_too_large`, `malformed_request` when it is not packed as it says; DomainError `unavailable`
 * when all bodies together take too much, `request_timeout` when the client leaves.
 */
export async function readBody(body: Readable, unpacker: Transform | null, limits: BodyLimits): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  const keep = async (source: AsyncIterable<Buffer>): Promise<void> => {
    let bytes = 0;
    for await (const chunk of source) {
      bytes = within(bytes + chunk.length, limits, unpacker === null ? 'is' : 'unpacks to');
      limits.budget.take(chunk.length);
      chunks.push(chunk);
    }
  };
  try {
    within(limits.length ?? 0, limits, 'is');
    if (unpacker === null) await keep(arriving(body));
    else await pipeline(counted(body, limits), unpacker, keep);
  } catch (error) {
    body.resume();
    throw error instanceof DomainError ? error : faultOf(error as NodeJS.ErrnoException);
  }
  return chunks;
}

/** The chunks of a body. It is not ended when reading stops: the answer goes over its connection. */
const arriving = (body: Readable): AsyncIterable<Buffer> =>
  body.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>;

async function* counted(body: Readable, limits: BodyLimits): AsyncGenerator<Buffer> {
  let bytes = 0;
  for await (const chunk of arriving(body)) {
    bytes = within(bytes + chunk.length, limits, 'is');
    yield chunk;
  }
}

function within(bytes: number, { bytesMax }: BodyLimits, verb: string): number {
  if (bytes > bytesMax) {
    throw new Invalid(
      'payload_too_large',
      `the body ${verb} larger than ${bytesMax} bytes (limits.otlp_bytes); let the exporter send smaller batches`,
    );
  }
  return bytes;
}

function faultOf(error: NodeJS.ErrnoException): Error {
  const { code = '' } = error;
  if (/^(?:Z_|ZSTD_|ERR__ERROR_|ERR_BROTLI|ERR_ZSTD|ERR_PADDING|BROTLI_)/.test(code)) {
    return new Invalid('malformed_request', 'the body is not packed as Content-Encoding says, or is cut off');
  }
  if (code === 'ECONNRESET' || code === 'ERR_STREAM_PREMATURE_CLOSE') {
    return new DomainError('request_timeout', 'the client has gone');
  }
  return error;
}

/** A zstd stream may want a window of this many bytes, as a power of two; those of exporters are 8 MiB at most. */
const ZSTD_WINDOW_LOG_MAX = 25;

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

/** Keeps what all bodies being decoded at once take within a bound (setting `otlp.decode_bytes`). */
export class DecodeBudget {
  private taken = 0;

  constructor(private readonly bytesMax: number) {}

  get bytes(): number {
    return this.taken;
  }

  /** Begins a body, which takes bytes as they come and are read, and gives them all back at its end. */
  open(): BodyBudget {
    let own = 0;
    return {
      take: (bytes) => {
        if (own + bytes > this.bytesMax) throw tooLarge(this.bytesMax);
        if (this.taken + bytes > this.bytesMax) throw full();
        this.taken += bytes;
        own += bytes;
      },
      close: () => {
        this.taken -= own;
        own = 0;
      },
    };
  }
}

export interface BodyBudget {
  /**
   * @throws DomainError `unavailable` when all bodies together would take too much; Invalid `payload_too_large` when this
   * one alone would, which no waiting changes.
   */
  take(bytes: number): void;
  close(): void;
}

const tooLarge = (bytesMax: number): Invalid =>
  new Invalid(
    'payload_too_large',
    `reading the export would take more than ${bytesMax} bytes (otlp.decode_bytes); let the exporter send smaller batches`,
  );

const full = (): DomainError =>
  new DomainError('unavailable', 'too many exports are being read at once; send this one again', {
    retryAfterSeconds: 1,
  });
