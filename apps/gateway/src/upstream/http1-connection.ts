import type { Socket } from 'node:net';
import { letOthersRun } from '@spandrel/kernel';
import { dial, probeForReset, type DialOptions } from './dial.js';
import type { ParsedHead } from './response-head.js';
import { ResponseParser, type ParserEvents } from './response-parser.js';
import {
  UpstreamError,
  type Exchange,
  type Origin,
  type AnswerHandler,
  type UpstreamRequest,
} from './upstream-client.js';

/**
 * A body up to this length is written together with the head before it, as one text in latin1, which changes no byte: Node
 * writes texts below 16 KiB from the stack, and pieces through a list that is made for them. It is a sixth of what passing a
 * call on costs (ADR 0063).
 */
export const ONE_TEXT_BYTES_MAX = 8 * 1024;

/** Methods that may be executed twice with the effect of once (RFC 9110 section 9.2.2). */
export const IDEMPOTENT: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'PUT', 'DELETE']);

/** The least that is read of a connection at a time, however long it takes. */
const READ_BYTES_MIN = 8 * 1024;

/** Notifications of a connection to its pool. */
export interface ConnectionOwner {
  onIdle(connection: Http1Connection): void;
  /** The connection is closed; it was free until now or died with its exchange. */
  onGone(connection: Http1Connection): void;
}

/** One connection to an upstream: one exchange at a time, kept alive between them. */
export class Http1Connection implements ParserEvents {
  /** When the connection became free, on the clock of `performance.now()`. */
  idleSince = 0;
  /** How long the upstream said it keeps a free connection, in milliseconds; `null` when it did not say. */
  idleLimitMs: number | null = null;
  /** Exchanges it has carried to the end. */
  served = 0;

  private readonly socket: Socket;
  private readonly transport: Socket;
  private readonly parser = new ResponseParser(this);
  private exchange: ConnectionExchange | null = null;
  private failure: Error | null = null;
  private connected = false;
  private reusable = true;
  /** What the read under way has brought: of the body, and whether it has brought the head. */
  private piece: Buffer | null = null;
  private headRead = false;
  /** What takes about a millisecond to read, by the last read; more is cut, and others have their turn in between. */
  private readBytesMax = Infinity;
  private isCut = false;

  constructor(
    readonly origin: Origin,
    private readonly owner: ConnectionOwner,
    private readonly options: DialOptions & { headMs: number; staleMs: number },
    private readonly clock: AwakeClock,
  ) {
    const dialled = dial(origin, options, () => {
      this.connected = true;
    });
    this.socket = dialled.socket;
    this.transport = dialled.transport;
    this.socket.on('data', (piece: Buffer) => this.read(piece));
    this.socket.on('error', (error) => (this.failure ??= error));
    this.socket.on('end', () => this.ended());
    this.socket.on('close', () => this.closed());
    this.socket.on('drain', () => this.exchange?.handler.onDrain());
    this.socket.on('timeout', () => this.timedOut());
    this.socket.setTimeout(options.headMs);
  }

  /** Sends a request; only on a connection that is new or was handed out as idle. */
  send(request: UpstreamRequest, handler: AnswerHandler): Exchange {
    const exchange = new ConnectionExchange(this, request, handler, this.clock);
    this.exchange = exchange;
    this.parser.expect(request.method);
    const head = requestHead(request);
    const { body } = request;
    if (!(body instanceof Buffer)) {
      this.socket.write(head, 'latin1');
    } else if (body.length <= ONE_TEXT_BYTES_MAX) {
      this.socket.write(head + body.toString('latin1'), 'latin1');
    } else {
      this.socket.cork();
      this.socket.write(head, 'latin1');
      this.socket.write(body);
      this.socket.uncork();
    }
    return exchange;
  }

  write(chunk: Buffer, chunked: boolean): boolean {
    if (!chunked) return this.socket.write(chunk);
    this.socket.cork();
    this.socket.write(`${chunk.length.toString(16)}\r\n`, 'latin1');
    this.socket.write(chunk);
    const more = this.socket.write('\r\n', 'latin1');
    this.socket.uncork();
    return more;
  }

  writeText(text: string): void {
    this.socket.write(text, 'latin1');
  }

  resume(): void {
    this.socket.resume();
  }

  /** Closes the connection at once; the exchange it carries hears no more. */
  destroy(): void {
    this.exchange = null;
    this.socket.destroy();
  }

  get usable(): boolean {
    return !this.socket.destroyed && this.socket.writable;
  }

  /** The request of the exchange has been written whole; a free connection is reported once the answer is over too. */
  requestSent(): void {
    if (this.parser.idle && this.exchange?.over) this.release();
  }

  onParsedInformation(head: ParsedHead): void {
    this.exchange?.handler.onInformation(head.status, head.headers);
  }

  onParsedHead(head: ParsedHead): void {
    this.reusable = head.keepAlive;
    if (head.keepAliveSeconds !== null) this.idleLimitMs = head.keepAliveSeconds * 1_000;
    this.headRead = true;
    this.exchange?.handler.onHead(head);
  }

  onParsedData(piece: Buffer): void {
    this.piece = piece;
  }

  onParsedEnd(trailers: string[]): void {
    const { exchange } = this;
    if (!exchange) return;
    exchange.over = true;
    this.served++;
    exchange.handler.onEnd(this.takePiece(), trailers);
    if (exchange.sent) this.release();
  }

  private read(bytes: Buffer): void {
    this.isCut = bytes.length > this.readBytesMax;
    if (this.isCut) {
      this.socket.pause();
      this.socket.unshift(bytes.subarray(this.readBytesMax));
    }
    const began = performance.now();
    const read = bytes.subarray(0, this.readBytesMax);
    let failure: unknown;
    try {
      this.parser.push(read);
    } catch (error) {
      failure = error;
    }
    const { exchange, headRead } = this;
    const piece = this.takePiece();
    if (exchange && !exchange.over && (headRead || piece !== null) && !exchange.handler.onData(piece)) {
      this.socket.pause();
    } else if (this.isCut) {
      void letOthersRun().then(() => this.socket.resume());
    }
    this.readBytesMax = Math.max(READ_BYTES_MIN, Math.trunc(read.length / (performance.now() - began)));
    if (failure !== undefined) this.socket.destroy(failure instanceof Error ? failure : new Error(String(failure)));
  }

  /** What the read under way has brought of the body. */
  private takePiece(): Buffer | null {
    const { piece } = this;
    this.piece = null;
    this.headRead = false;
    return piece;
  }

  private release(): void {
    this.exchange = null;
    // Nothing may come behind an answer.
    if (!this.reusable || !this.usable || this.isCut) {
      this.socket.destroy();
      return;
    }
    this.socket.resume();
    this.owner.onIdle(this);
  }

  private timedOut(): void {
    if (this.exchange && this.parser.untouched) {
      this.socket.destroy(new UpstreamError('timeout', 'the upstream did not answer in time'));
    }
  }

  /** The upstream sends no more. Where a request is lost with the connection, it is found out whether it was read. */
  private ended(): void {
    const { exchange } = this;
    const leftMs = exchange && this.mayBeStale(exchange) ? this.options.staleMs - exchange.ageMs : 0;
    if (leftMs > 0 && !IDEMPOTENT.has(exchange!.method)) probeForReset(this.transport, leftMs);
    else this.socket.end();
  }

  private closed(): void {
    const { exchange } = this;
    this.owner.onGone(this);
    if (!exchange || exchange.over) return;
    if (this.failure === null && this.parser.close()) return;
    this.exchange = null;
    exchange.handler.onError(this.describeFailure(exchange));
  }

  private describeFailure(exchange: ConnectionExchange): UpstreamError {
    const { failure } = this;
    if (failure instanceof UpstreamError) return failure;
    const code = (failure as NodeJS.ErrnoException | null)?.code ?? failure?.message;
    if (!this.connected) return new UpstreamError('connect', code ?? 'the connection was closed', { cause: failure });
    const early = this.parser.untouched ? 'before it answered' : 'before the answer was complete';
    const reason = `the upstream closed the connection ${early}${code ? ` (${code})` : ''}`;
    const reset = code === 'ECONNRESET' || code === 'EPIPE';
    const fate = this.mayBeStale(exchange) ? (reset ? 'unread' : 'unanswered') : undefined;
    return new UpstreamError('cut', reason, { cause: failure }, fate);
  }

  /** Whether the upstream may have closed the connection as idle, without having seen the request. */
  private mayBeStale(exchange: ConnectionExchange): boolean {
    return this.served > 0 && this.parser.untouched && exchange.ageMs <= this.options.staleMs;
  }
}

class ConnectionExchange implements Exchange {
  /** The answer has come whole. */
  over = false;
  /** The request has been written whole. */
  sent: boolean;
  readonly method: string;
  private readonly chunked: boolean;
  private readonly startedAt: number;

  constructor(
    private connection: Http1Connection | null,
    request: UpstreamRequest,
    readonly handler: AnswerHandler,
    private readonly clock: AwakeClock,
  ) {
    this.startedAt = clock.now();
    this.method = request.method;
    this.sent = request.body === null || request.body instanceof Buffer;
    this.chunked = request.body === 'chunked';
  }

  /** Time since the request began to be sent. */
  get ageMs(): number {
    return this.clock.now() - this.startedAt;
  }

  write(chunk: Buffer): boolean {
    if (this.sent || !this.connection || chunk.length === 0) return true;
    return this.connection.write(chunk, this.chunked);
  }

  end(trailers: readonly string[]): void {
    if (this.sent || !this.connection) return;
    if (this.chunked) this.connection.writeText(`0\r\n${fieldLines(trailers)}\r\n`);
    this.sent = true;
    this.connection.requestSent();
  }

  resume(): void {
    if (!this.over) this.connection?.resume();
  }

  abort(): void {
    // A connection whose exchange is over may be carrying another caller's by now.
    if (!this.over || !this.sent) this.connection?.destroy();
    this.connection = null;
  }
}

/** The head of a request as it goes on the wire, in latin1. */
function requestHead({ method, path, headers, body }: UpstreamRequest): string {
  const framing = body === 'chunked' ? 'Transfer-Encoding: chunked\r\n' : '';
  return `${method} ${path} HTTP/1.1\r\n${fieldLines(headers)}${framing}\r\n`;
}

/** Header or trailer lines. @param fields name, value, name, value … */
function fieldLines(fields: readonly string[]): string {
  let text = '';
  for (let i = 0; i < fields.length; i += 2) text += `${fields[i]}: ${fields[i + 1]}\r\n`;
  return text;
}

const STEP_MS = 50;

/**
 * Time during which the event loop of this process turned, in steps of 50 ms. However long the loop stands still, because
 * the machine is busy or the process is stopped, that is one step: what a socket had to say meanwhile has not been heard.
 */
export class AwakeClock {
  private steps = 0;
  private timer: NodeJS.Timeout | null = null;

  /** Milliseconds since the first call; the clock goes from then on. */
  now(): number {
    this.timer ??= setInterval(() => this.steps++, STEP_MS).unref();
    return this.steps * STEP_MS;
  }

  close(): void {
    if (this.timer) clearInterval(this.timer);
    this.timer = null;
  }
}
