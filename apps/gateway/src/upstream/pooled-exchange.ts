import { IDEMPOTENT, type AwakeClock, type Http1Connection } from './http1-connection.js';
import type {
  AnswerHandler,
  Exchange,
  ResponseHead,
  UpstreamError,
  UpstreamHandler,
  UpstreamRequest,
} from './upstream-client.js';

/** The most of a streamed request body that is kept for sending it once more. */
export const KEPT_BYTES_MAX = 1024 * 1024;

/**
 * A request on a connection that has carried others. Its upstream may just be closing that connection as idle; where
 * it cannot have been read, or its method is idempotent (ADR 0018), the request is then sent once more, on a new connection. It may begin a turn after it was
 * made; what is asked of it before is kept.
 */
export class PooledExchange implements Exchange, AnswerHandler {
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
