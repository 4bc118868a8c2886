import type { AwakeClock } from './awake-clock.js';
import type { Http1Connection } from './http1-connection.js';
import { mayResend } from './may-resend.js';
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
 * {@link mayResend} says so, the request is then sent once more, on a new connection. It may begin a turn after it was
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
  private timer: NodeJS.Timeout | null = null;

  /**
   * @param openNew opens a new connection to the request's origin.
   * @param keptMs how long after its beginning a request can be sent once more.
   */
  constructor(
    private readonly request: UpstreamRequest,
    private readonly handler: UpstreamHandler,
    private readonly openNew: () => Http1Connection,
    private readonly keptMs: number,
    private readonly clock: Pick<AwakeClock, 'now'>,
  ) {}

  start(connection: Http1Connection): void {
    const written = this.kept!.length > 0;
    this.begin(connection);
    if (written) this.handler.onDrain();
    if (typeof this.request.body === 'string') this.letGoAt(this.clock.now() + this.keptMs);
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

  onInformation(status: number, statusMessage: string, headers: string[]): void {
    this.letGo();
    this.handler.onInformation(status, statusMessage, headers);
  }

  onHead(head: ResponseHead): void {
    this.letGo();
    this.handler.onHead(head);
  }

  onData(chunk: Buffer): boolean {
    return this.handler.onData(chunk);
  }

  onReadEnd(): boolean {
    return this.handler.onReadEnd();
  }

  onEnd(trailers: string[]): void {
    this.handler.onEnd(trailers);
  }

  onDrain(): void {
    this.handler.onDrain();
  }

  onError(error: UpstreamError): void {
    const resend = this.resendable && mayResend(this.request.method, error.fate);
    if (!resend) {
      this.letGo();
      this.handler.onError(error);
      return;
    }
    this.handler.onResend();
    this.begin(this.openNew());
    this.letGo();
    // Whoever waits for the closed connection to drain hears no more of it.
    this.handler.onDrain();
  }

  private begin(connection: Http1Connection): void {
    const exchange = connection.send(this.request, this);
    this.exchange = exchange;
    this.kept?.forEach((chunk) => exchange.write(chunk));
    if (this.trailers) exchange.end(this.trailers);
  }

  private keep(chunk: Buffer): void {
    this.keptBytes += chunk.length;
    // Before it begins all is kept.
    if (this.keptBytes > KEPT_BYTES_MAX && this.exchange !== null) this.letGo();
    else this.kept!.push(chunk);
  }

  /** Lets the body go at a time of the clock; what sockets have to say by then is heard before. */
  private letGoAt(time: number): void {
    const leftMs = time - this.clock.now();
    this.timer = setTimeout(() => {
      if (this.clock.now() < time) this.letGoAt(time);
      else setImmediate(() => this.letGo());
    }, leftMs).unref();
  }

  /** From now on the request cannot be sent once more. */
  private letGo(): void {
    this.resendable = false;
    if (this.exchange !== null) this.kept = null;
    if (this.timer) clearTimeout(this.timer);
    this.timer = null;
  }
}
