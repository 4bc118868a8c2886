import zlib from 'node:zlib';

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

/** The most that is decoded of a body, against those that swell: the answers of a provider have no limit. */
const DECODED_BYTES_MAX = 64 * 1024 * 1024;

/** Encoded bytes that may wait to be decoded; {@link DECODED_BYTES_MAX} and this grow with what is kept of a body. */
const WAITING_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Takes content codings off a body, piece by piece, so that each decoded piece keeps the time its bytes came. A broken or cut body
 * ends where it breaks, an unknown coding gives nothing.
 */
export class BodyDecoder {
  /** Not all was decoded: more came out than may be looked at, or came faster than it was decoded. */
  isCut = false;
  private stages: DecodingStage[] = [];
  /** What has come out of each of them and has not gone into the next. */
  private between: Buffer[][] = [];
  private underWay = Promise.resolve();
  private waiting = 0;
  private at = 0;
  private ended: Promise<void> | undefined;

  /**
   * @param codings outermost last, see {@link codingsOf}.
   * @param first the first bytes of the body.
   * @param bytesMax how much of a body is kept.
   * @param sink gets what comes out, with the time its bytes came.
   */
  constructor(
    codings: readonly string[],
    first: Buffer,
    private readonly bytesMax: number,
    private readonly sink: (data: Buffer, at: number) => void,
  ) {
    if (codings.length > CODINGS_MAX) return;
    const decoders = codings.toReversed().map((coding, index) => decoderOf(coding, index === 0 ? first : undefined));
    if (!decoders.every((decoder) => decoder !== undefined)) return;
    this.stages = decoders.map((decoder, index) => {
      const onData = (data: Buffer): void => {
        if (index === decoders.length - 1) this.sink(data, this.at);
        else this.between[index]!.push(data);
      };
      return new DecodingStage(decoder, Math.max(DECODED_BYTES_MAX, 8 * bytesMax), onData, () => (this.isCut = true));
    });
    this.between = decoders.map(() => []);
  }

  /** @returns when what came of it has been handed over. */
  write(data: Buffer, at: number): Promise<void> {
    this.isCut ||= this.waiting + data.length > Math.max(WAITING_BYTES_MAX, 2 * this.bytesMax);
    if (this.isCut || this.stages.length === 0) return this.underWay;
    this.waiting += data.length;
    this.underWay = this.underWay.then(async () => {
      this.at = at;
      await this.pass(0, data);
      this.waiting -= data.length;
    });
    return this.underWay;
  }

  /** @returns when all has been handed over. */
  end(): Promise<void> {
    this.ended ??= this.underWay.then(async () => {
      for (const [index, stage] of this.stages.entries()) {
        await stage.end();
        await this.handOn(index);
      }
    });
    return this.ended;
  }

  private async pass(index: number, data: Buffer): Promise<void> {
    await this.stages[index]!.write(data);
    await this.handOn(index);
  }

  private async handOn(index: number): Promise<void> {
    for (const data of this.between[index]!.splice(0)) await this.pass(index + 1, data);
  }
}

/** One content coding that is taken off. */
class DecodingStage {
  private isOver = false;
  private onDone: (() => void) | undefined;

  /** @param onCut called when more comes out than `bytesMax`, and that is all. */
  constructor(
    private readonly decoder: zlib.Gunzip,
    bytesMax: number,
    onData: (data: Buffer) => void,
    onCut: () => void,
  ) {
    let bytes = 0;
    decoder.on('data', (data: Buffer) => {
      bytes += data.length;
      if (bytes <= bytesMax) {
        onData(data);
        return;
      }
      onCut();
      this.close();
    });
    decoder.on('error', () => this.close());
    decoder.on('end', () => this.close());
  }

  /** @returns when what came of it has been handed over. */
  write(data: Buffer): Promise<void> {
    return this.untilDone((done) => {
      // What a write puts out has been handed over a turn after its callback.
      this.decoder.write(data, () => setImmediate(done));
    });
  }

  end(): Promise<void> {
    return this.untilDone(() => this.decoder.end());
  }

  private untilDone(begin: (done: () => void) => void): Promise<void> {
    if (this.isOver) return Promise.resolve();
    return new Promise((resolve) => {
      this.onDone = resolve;
      begin(resolve);
    });
  }

  private close(): void {
    this.isOver = true;
    this.decoder.destroy();
    this.onDone?.();
  }
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
