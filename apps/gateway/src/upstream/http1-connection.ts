import type { Socket } from 'node:net';
import { ONE_TEXT_BYTES_MAX } from '../one-text.js';
import { dial, type DialOptions } from './dial.js';
import type { AwakeClock } from './awake-clock.js';
import { isIdempotent } from './may-resend.js';
import { probeForReset } from './probe-for-reset.js';
import { requestHead, fieldLines } from './request-head.js';
import type { ParsedHead } from './response-head.js';
import { ResponseParser, type ParserEvents } from './response-parser.js';
import {
  UpstreamError,
  type Exchange,
  type Origin,
  type AnswerHandler,
  type UpstreamRequest,
} from './upstream-client.js';

/** Notifications of a connection to its pool. */
export interface ConnectionOwner {
  /** The connection is free for another request. */
  onIdle(connection: Http1Connection): void;
  /** The connection is closed; it was free until now or died with its exchange. */
  onGone(connection: Http1Connection): void;
  onSession(origin: Origin, session: Buffer): void;
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

  constructor(
    readonly origin: Origin,
    private readonly owner: ConnectionOwner,
    private readonly options: DialOptions & { headMs: number; staleMs: number },
    private readonly clock: Pick<AwakeClock, 'now'>,
    session: Buffer | undefined,
  ) {
    const dialled = dial(origin, options, session, () => {
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
    if (origin.secure) this.socket.on('session', (ticket: Buffer) => owner.onSession(origin, ticket));
  }

  /** Sends a request; only on a connection that is new or was handed out as idle. */
  send(request: UpstreamRequest, handler: AnswerHandler): Exchange {
    const exchange = new ConnectionExchange(this, request, handler, this.clock);
    this.exchange = exchange;
    this.parser.expect(request.method);
    const head = requestHead(request);
    if (request.body instanceof Buffer && request.body.length <= ONE_TEXT_BYTES_MAX) {
      this.socket.write(head + request.body.toString('latin1'), 'latin1');
    } else if (request.body instanceof Buffer) {
      this.socket.cork();
      this.socket.write(head, 'latin1');
      this.socket.write(request.body);
      this.socket.uncork();
    } else {
      this.socket.write(head, 'latin1');
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
    this.exchange?.handler.onInformation(head.status, head.statusMessage, head.headers);
  }

  onParsedHead(head: ParsedHead): void {
    this.reusable = head.keepAlive;
    if (head.keepAliveSeconds !== null) this.idleLimitMs = head.keepAliveSeconds * 1_000;
    this.exchange?.handler.onHead(head);
  }

  onParsedData(chunk: Buffer): void {
    if (this.exchange && !this.exchange.handler.onData(chunk)) this.socket.pause();
  }

  onParsedEnd(trailers: string[]): void {
    const { exchange } = this;
    if (!exchange) return;
    exchange.over = true;
    this.served++;
    exchange.handler.onEnd(trailers);
    if (exchange.sent) this.release();
  }

  private read(piece: Buffer): void {
    try {
      this.parser.push(piece);
    } catch (error) {
      this.socket.destroy(error instanceof Error ? error : new Error(String(error)));
      return;
    }
    const { exchange } = this;
    if (exchange && !exchange.over && !exchange.handler.onReadEnd()) this.socket.pause();
  }

  private release(): void {
    this.exchange = null;
    if (!this.reusable || !this.usable) {
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
    if (leftMs > 0 && !isIdempotent(exchange!.method)) probeForReset(this.transport, leftMs);
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

/** One request on one connection. */
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
    private readonly clock: Pick<AwakeClock, 'now'>,
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
