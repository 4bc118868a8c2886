export interface Origin {
  /** Distinguishes origins: `https://api.openai.com:443`. */
  readonly key: string;
  readonly secure: boolean;
  /** Name or address to dial, IPv6 without brackets. */
  readonly hostname: string;
  readonly port: number;
  /** Set where the addresses behind the name must be public (docs/spec/gateway.md#where-callers-may-lead-a-call). */
  readonly guarded: boolean;
}

export interface UpstreamRequest {
  origin: Origin;
  method: string;
  /** Path and query, `/v1/chat/completions?x=1`. */
  path: string;
  /** Name, value, name, value …, with `Host`, without hop-by-hop headers; written as they are. */
  headers: readonly string[];
  /** The whole body, `null` for none, or how a body that comes piece by piece is framed. */
  body: Buffer | null | 'length' | 'chunked';
}

/**
 * How far a request came whose kept-alive connection was closed before a byte of the answer.
 * - `unread`: the upstream's system refused bytes of it, so that the upstream cannot have read the request whole;
 * - `unanswered`: the upstream closed the connection, perhaps after it had read and executed the request.
 */
export type RequestFate = 'unread' | 'unanswered';

export interface ResponseHead {
  status: number;
  statusMessage: string;
  /** Name, value, name, value …, as they came. */
  headers: string[];
  /** How the body ends: there is none, a length, chunked, or when the connection closes. */
  framing: 'none' | 'length' | 'chunked' | 'close';
  /** Bytes of a body framed by `length`. */
  contentLength: number | null;
}

/** Takes what comes over one connection. Exactly one of `onEnd` and `onError` comes last; none after `abort`. */
export interface AnswerHandler {
  /** A 1xx answer before the real one. */
  onInformation(status: number, headers: string[]): void;
  onHead(head: ResponseHead): void;
  /**
   * What one read brought of the body, `null` when it brought the head alone: the moment to flush.
   * @returns false to stop reading until `resume`; what has been read already still comes.
   */
  onData(piece: Buffer | null): boolean;
  /** @param rest what the read that brought the end brought of the body. */
  onEnd(rest: Buffer | null, trailers: string[]): void;
  onError(error: UpstreamError): void;
  /** The request body may be written on. */
  onDrain(): void;
}

/** Takes what an upstream answers, over whichever connection. */
export interface UpstreamHandler extends AnswerHandler {
  /** The request is sent once more, because its kept-alive connection had been closed. */
  onResend(): void;
}

export interface Exchange {
  /** Writes a piece of a streamed request body. @returns false when the caller should wait for `onDrain`. */
  write(chunk: Buffer): boolean;
  /** Ends a streamed request body. @param trailers name, value …; only with chunked framing. */
  end(trailers: readonly string[]): void;
  /** Reads on after `onData` returned false. */
  resume(): void;
  /** Ends the exchange at once and closes its connection; the handler is not called again. Harmless when it is over. */
  abort(): void;
}

/** Sends requests to upstreams over kept-alive connections, byte for byte, without following redirects. */
export interface UpstreamClient {
  send(request: UpstreamRequest, handler: UpstreamHandler): Exchange;
}

/** Why an upstream gave no (whole) answer. `reason` is short and fit for callers. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';

  constructor(
    /** `refused`: the address rule forbids it; `connect`: no connection; `timeout`; `cut`: closed early; `protocol`: not HTTP. */
    readonly kind: 'refused' | 'connect' | 'timeout' | 'cut' | 'protocol',
    readonly reason: string,
    options?: ErrorOptions,
    /** Set where the request may perhaps be sent once more. */
    readonly fate?: RequestFate,
  ) {
    super(reason, options);
  }
}
