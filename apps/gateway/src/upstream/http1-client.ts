import { AwakeClock, Http1Connection, type ConnectionOwner, IDEMPOTENT } from './http1-connection.js';
import type { DialOptions } from './dial.js';
import type {
  Exchange,
  Origin,
  UpstreamClient,
  UpstreamHandler,
  UpstreamRequest,
  AnswerHandler,
  ResponseHead,
  UpstreamError,
} from './upstream-client.js';

export interface Http1ClientOptions extends DialOptions {
  /** Longest time from the last byte written to the first byte of the answer. */
  headMs: number;
  /** How long a free connection is kept when the upstream does not say; below the 5 s many servers use. */
  idleMs?: number;
  /** A request whose kept-alive connection is closed within this time of its beginning, by {@link AwakeClock}, may be sent once more. */
  staleMs?: number;
}

/** From this age on a free connection may just be closing, so its news is read before it is used. */
const SETTLE_AFTER_MS = 1_000;
const SWEEP_MS = 1_000;

/**
 * HTTP/1.1 over kept-alive connections, the newest free one first. Written by hand: ADR 0063 says what undici would
 * cost and change.
 */
export class Http1Client implements UpstreamClient, ConnectionOwner {
  private readonly idle = new Map<string, Http1Connection[]>();
  private readonly all = new Set<Http1Connection>();
  private sweeper: NodeJS.Timeout | null = null;
  private readonly clock = new AwakeClock();
  private readonly options: Required<Omit<Http1ClientOptions, 'ca'>> & DialOptions;

  constructor(options: Http1ClientOptions) {
    this.options = { idleMs: 4_000, staleMs: 1_000, ...options };
  }

  send(request: UpstreamRequest, handler: UpstreamHandler): Exchange {
    const { origin } = request;
    const connection = isLong(request) ? undefined : this.takeIdle(origin.key);
    if (connection === undefined) return this.open(origin).send(request, handler);
    const exchange = new PooledExchange(request, handler, () => this.open(origin), this.options.staleMs, this.clock);
    if (performance.now() - connection.idleSince < SETTLE_AFTER_MS) {
      exchange.start(connection);
      return exchange;
    }
    setImmediate(() => {
      if (exchange.aborted) this.putBack(connection);
      else exchange.start(connection.usable ? connection : this.open(origin));
    });
    return exchange;
  }

  close(): void {
    for (const connection of this.all) connection.destroy();
    if (this.sweeper) clearInterval(this.sweeper);
    this.sweeper = null;
    this.clock.close();
  }

  onIdle(connection: Http1Connection): void {
    connection.idleSince = performance.now();
    this.putBack(connection);
  }

  onGone(connection: Http1Connection): void {
    this.all.delete(connection);
    const free = this.idle.get(connection.origin.key);
    const at = free?.indexOf(connection) ?? -1;
    if (at !== -1) free!.splice(at, 1);
  }

  private putBack(connection: Http1Connection): void {
    if (!connection.usable) return;
    let free = this.idle.get(connection.origin.key);
    if (!free) this.idle.set(connection.origin.key, (free = []));
    free.push(connection);
    this.sweeper ??= setInterval(() => this.sweep(), SWEEP_MS).unref();
  }

  private open(origin: Origin): Http1Connection {
    const connection = new Http1Connection(origin, this, this.options, this.clock);
    this.all.add(connection);
    return connection;
  }

  private takeIdle(key: string): Http1Connection | undefined {
    const free = this.idle.get(key);
    while (free && free.length > 0) {
      const connection = free.pop()!;
      if (connection.usable && !this.isExpired(connection, performance.now())) return connection;
      connection.destroy();
    }
    return undefined;
  }

  private sweep(): void {
    const now = performance.now();
    for (const [key, free] of this.idle) {
      const byExpiry = Map.groupBy(free, (connection) => this.isExpired(connection, now));
      for (const connection of byExpiry.get(true) ?? []) connection.destroy();
      const kept = byExpiry.get(false);
      if (kept) this.idle.set(key, kept);
      else this.idle.delete(key);
    }
    if (this.idle.size > 0 || !this.sweeper) return;
    clearInterval(this.sweeper);
    this.sweeper = null;
  }

  /** Whether the upstream may be about to close a free connection. */
  private isExpired({ idleSince, idleLimitMs }: Http1Connection, now: number): boolean {
    return now - idleSince > (idleLimitMs === null ? this.options.idleMs : withMargin(idleLimitMs));
  }
}

/** A second short of what the upstream said, half of it at least, a minute at most. */
function withMargin(idleLimitMs: number): number {
  return Math.min(60_000, Math.max(idleLimitMs / 2, idleLimitMs - 1_000));
}

/** Whether a request has a body too long to be kept for a second try: only a new connection is sure to take it. */
function isLong({ body, headers }: UpstreamRequest): boolean {
  if (body !== 'length') return false;
  const at = headers.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === 'content-length');
  return Number(headers[at + 1]) > KEPT_BYTES_MAX;
}

/** The most of a streamed request body that is kept for sending it once more. */
const KEPT_BYTES_MAX = 1024 * 1024;

/**
 * A request on a connection that has carried others. Its upstream may just be closing that connection as idle; where
 * it cannot have been read, or its method is idempotent (ADR 0018), the request is then sent once more, on a new connection. It may begin a turn after it was
 * made; what is asked of it before is kept.
 */
class PooledExchange implements Exchange, AnswerHandler {
  aborted = false;
  private exchange: Exchange | null = null;
  /** The streamed body so far; `null` once it is too long, too old, or not needed any more. */
  private kept: Buffer[] | null = [];
  private keptBytes = 0;
  private trailers: readonly string[] | null = null;
  private resendable = true;
  private begunAt: number | null = null;

  /**
   * @param openNew opens a new connection to the request's origin.
   * @param keptMs how long after its beginning a request can be sent once more.
   */
  constructor(
    private readonly request: UpstreamRequest,
    private readonly handler: UpstreamHandler,
    private readonly openNew: () => Http1Connection,
    private readonly keptMs: number,
    private readonly clock: AwakeClock,
  ) {}

  start(connection: Http1Connection): void {
    const written = this.kept!.length > 0;
    this.begin(connection);
    if (written) this.handler.onDrain();
  }

  write(chunk: Buffer): boolean {
    if (this.kept !== null) this.keep(chunk);
    return this.exchange !== null && this.exchange.write(chunk);
  }

  end(trailers: readonly string[]): void {
    this.trailers = trailers;
    this.exchange?.end(trailers);
  }

  resume(): void {
    this.exchange?.resume();
  }

  abort(): void {
    this.aborted = true;
    this.letGo();
    this.exchange?.abort();
  }

  onInformation(status: number, headers: string[]): void {
    this.letGo();
    this.handler.onInformation(status, headers);
  }

  onHead(head: ResponseHead): void {
    this.letGo();
    this.handler.onHead(head);
  }

  onData(piece: Buffer | null): boolean {
    return this.handler.onData(piece);
  }

  onEnd(rest: Buffer | null, trailers: string[]): void {
    this.handler.onEnd(rest, trailers);
  }

  onDrain(): void {
    this.handler.onDrain();
  }

  onError(error: UpstreamError): void {
    const mayHelp = error.fate === 'unread' || (error.fate === 'unanswered' && IDEMPOTENT.has(this.request.method));
    if (!this.resendable || !mayHelp) {
      this.letGo();
      this.handler.onError(error);
      return;
    }
    this.handler.onResend();
    this.begin(this.openNew());
    this.letGo();
    // The closed connection drains no more.
    this.handler.onDrain();
  }

  private begin(connection: Http1Connection): void {
    const exchange = connection.send(this.request, this);
    this.exchange = exchange;
    this.begunAt ??= this.clock.now();
    this.kept?.forEach((chunk) => exchange.write(chunk));
    if (this.trailers) exchange.end(this.trailers);
  }

  private keep(chunk: Buffer): void {
    this.keptBytes += chunk.length;
    // Before it begins all is kept.
    const tooLate = this.begunAt !== null && this.clock.now() - this.begunAt > this.keptMs;
    if (tooLate || (this.keptBytes > KEPT_BYTES_MAX && this.exchange !== null)) this.letGo();
    else this.kept!.push(chunk);
  }

  /** From now on the request cannot be sent once more. */
  private letGo(): void {
    this.resendable = false;
    if (this.exchange !== null) this.kept = null;
  }
}
