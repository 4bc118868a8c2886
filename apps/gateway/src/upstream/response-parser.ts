import { parseResponseHead, type ParsedHead } from './response-head.js';
import { UpstreamError } from './upstream-client.js';

/** Longest head of an answer, and longest trailers, in bytes. */
const HEAD_BYTES_MAX = 256 * 1024;
const CHUNK_LINE_MAX = 4_096;

const CR = 0x0d;
const LF = 0x0a;
const HEAD_END = Buffer.from('\r\n\r\n', 'latin1');
const EMPTY: string[] = [];

/** What a {@link ResponseParser} finds, in order. */
export interface ParserEvents {
  onParsedInformation(head: ParsedHead): void;
  onParsedHead(head: ParsedHead): void;
  onParsedData(chunk: Buffer): void;
  onParsedEnd(trailers: string[]): void;
}

enum State {
  Head,
  Length,
  UntilClose,
  ChunkSize,
  ChunkExtension,
  ChunkSizeLf,
  ChunkData,
  ChunkDataCr,
  ChunkDataLf,
  Trailers,
  Done,
}

/** Reads HTTP/1 answers from pieces of a byte stream; where the pieces are cut does not matter. */
export class ResponseParser {
  private state = State.Done;
  private method = '';
  /** A head or trailers that have come in part. */
  private partial: Buffer | null = null;
  /** Bytes still to come of the body or chunk; while a chunk size is read, the size so far. */
  private remaining = 0;
  private lineLength = 0;
  /** Where that part of the body stands in the piece that is read which is not handed over. */
  private bodyStart = 0;
  private bodyEnd = 0;

  constructor(private readonly events: ParserEvents) {}

  /** Gets ready for the answer to a request. @param method the request's method. */
  expect(method: string): void {
    this.state = State.Head;
    this.method = method;
    this.partial = null;
  }

  /** True when no answer is under way. */
  get idle(): boolean {
    return this.state === State.Done;
  }

  /** True while nothing of the awaited answer has come. */
  get untouched(): boolean {
    return this.state === State.Head && this.partial === null;
  }

  /**
   * Takes the next piece, whose bytes it may move.
   * @throws UpstreamError `protocol` for what is not HTTP, bytes after the end of an answer included.
   */
  push(piece: Buffer): void {
    try {
      this.read(piece);
    } finally {
      this.handOver(piece);
    }
  }

  private read(piece: Buffer): void {
    let at = 0;
    while (at < piece.length) {
      switch (this.state) {
        case State.Head:
          at = this.readHead(piece, at);
          break;
        case State.Length:
        case State.ChunkData:
          at = this.readSized(piece, at);
          break;
        case State.UntilClose:
          this.events.onParsedData(at === 0 ? piece : piece.subarray(at));
          at = piece.length;
          break;
        case State.Trailers:
          at = this.readTrailers(piece, at);
          break;
        case State.Done:
          throw new UpstreamError('protocol', 'the upstream sent more than its answer');
        default:
          at = this.readChunkLine(piece, at);
      }
    }
  }

  /** The connection has closed. @returns false when that cut the answer short. */
  close(): boolean {
    if (this.state === State.Done) return true;
    if (this.state !== State.UntilClose) return false;
    this.state = State.Done;
    this.events.onParsedEnd(EMPTY);
    return true;
  }

  private readHead(piece: Buffer, at: number): number {
    const head = this.readUpTo(piece, at);
    if (head === null) return piece.length;
    const parsed = parseResponseHead(head.text, this.method);
    if (parsed.status < 200) {
      if (parsed.status === 101) throw new UpstreamError('protocol', 'the upstream switched protocols unasked');
      this.events.onParsedInformation(parsed);
      return head.end;
    }
    this.remaining = parsed.contentLength ?? 0;
    this.lineLength = 0;
    this.state = stateAfterHead(parsed);
    const over = this.state === State.Done;
    this.events.onParsedHead(parsed);
    if (over) this.events.onParsedEnd(EMPTY);
    return head.end;
  }

  private readSized(piece: Buffer, at: number): number {
    const end = Math.min(piece.length, at + this.remaining);
    this.remaining -= end - at;
    this.gather(piece, at, end);
    if (this.remaining > 0) return end;
    if (this.state === State.ChunkData) this.state = State.ChunkDataCr;
    else this.end(EMPTY, piece);
    return end;
  }

  /** Puts chunks that came together next to each other, within the piece: a million of one byte are few to all others. */
  private gather(piece: Buffer, at: number, end: number): void {
    if (this.bodyEnd > this.bodyStart) piece.copyWithin(this.bodyEnd, at, end);
    else this.bodyStart = this.bodyEnd = at;
    this.bodyEnd += end - at;
  }

  private handOver(piece: Buffer): void {
    const { bodyStart: start, bodyEnd: end } = this;
    if (start === end) return;
    this.bodyStart = this.bodyEnd = 0;
    this.events.onParsedData(start === 0 && end === piece.length ? piece : piece.subarray(start, end));
  }

  private readChunkLine(piece: Buffer, at: number): number {
    const byte = piece[at]!;
    switch (this.state) {
      case State.ChunkSize: {
        const digit = hexDigit(byte);
        if (digit !== -1) {
          if (++this.lineLength > 12) throw badChunk();
          this.remaining = this.remaining * 16 + digit;
        } else if (this.lineLength === 0) {
          throw badChunk();
        } else {
          this.state = byte === CR ? State.ChunkSizeLf : State.ChunkExtension;
          if (byte !== CR && byte !== 0x3b && byte !== 0x20 && byte !== 0x09) throw badChunk();
        }
        break;
      }
      case State.ChunkExtension:
        if (byte === LF || ++this.lineLength > CHUNK_LINE_MAX) throw badChunk();
        if (byte === CR) this.state = State.ChunkSizeLf;
        break;
      case State.ChunkSizeLf:
        if (byte !== LF) throw badChunk();
        this.state = this.remaining === 0 ? State.Trailers : State.ChunkData;
        break;
      case State.ChunkDataCr:
        if (byte !== CR) throw badChunk();
        this.state = State.ChunkDataLf;
        break;
      default:
        if (byte !== LF) throw badChunk();
        this.remaining = 0;
        this.lineLength = 0;
        this.state = State.ChunkSize;
    }
    return at + 1;
  }

  private readTrailers(piece: Buffer, at: number): number {
    if (this.partial === null && piece[at] === CR && piece[at + 1] === LF) {
      this.end(EMPTY, piece);
      return at + 2;
    }
    // The empty line may come first, so the line break before it (the last chunk's) is counted in.
    this.partial ??= Buffer.from('\r\n', 'latin1');
    const trailers = this.readUpTo(piece, at);
    if (trailers === null) return piece.length;
    const lines = trailers.text.slice(2);
    this.end(lines === '' ? EMPTY : parseResponseHead(`HTTP/1.1 200 \r\n${lines}`, 'HEAD').headers, piece);
    return trailers.end;
  }

  /** The text up to the next empty line, earlier pieces included; `null` when it has not come yet. */
  private readUpTo(piece: Buffer, at: number): { text: string; end: number } | null {
    const before = this.partial?.length ?? 0;
    const bytes = this.partial === null ? piece : Buffer.concat([this.partial, at === 0 ? piece : piece.subarray(at)]);
    const from = this.partial === null ? at : 0;
    const end = bytes.indexOf(HEAD_END, this.partial === null ? at : Math.max(0, before - 3));
    if ((end === -1 ? bytes.length : end) - from > HEAD_BYTES_MAX) {
      throw new UpstreamError('protocol', "the upstream's headers are too large");
    }
    if (end === -1) {
      this.partial = this.partial === null ? Buffer.from(piece.subarray(at)) : bytes;
      return null;
    }
    const consumed = this.partial === null ? end + 4 : at + end + 4 - before;
    this.partial = null;
    return { text: bytes.toString('latin1', from, end), end: consumed };
  }

  private end(trailers: string[], piece: Buffer): void {
    this.handOver(piece);
    this.state = State.Done;
    this.events.onParsedEnd(trailers);
  }
}

function stateAfterHead(head: ParsedHead): State {
  switch (head.framing) {
    case 'none':
      return State.Done;
    case 'chunked':
      return State.ChunkSize;
    case 'close':
      return State.UntilClose;
    case 'length':
      return head.contentLength === 0 ? State.Done : State.Length;
  }
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

const badChunk = (): UpstreamError =>
  new UpstreamError('protocol', "the upstream's answer is not valid HTTP (a chunk)");
