import type { IncomingHttpHeaders } from 'node:http';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Agent, errors, type Dispatcher } from 'undici';
import type { Resolver } from '@spandrel/kernel';
import { ANSWER_BYTES_MAX, ConnectionCallError, tooLarge } from './connection-call-error.js';
import { decodeAnswer } from './decode-answer.js';
import { AddressRefused, publicConnector } from './public-connector.js';

/** A request as it goes on the wire. */
export interface WireRequest {
  /** `https://api.openai.com` */
  origin: string;
  /** Path and query. */
  path: string;
  method: 'GET' | 'POST';
  headers: Record<string, string>;
  body: string | null;
  /** Whether public addresses alone may be dialled. */
  guarded: boolean;
}

export interface WireAnswer {
  status: number;
  /** The body, decompressed; `undefined` when that failed. */
  body: Buffer | undefined;
  /** Time from sending to the last byte. */
  latencyMs: number;
}

export interface CallOptions {
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

const CONNECTING = { timeout: 10_000, maxCachedSessions: 1_000, allowH2: false };
const UNTIMED = { headersTimeout: 0, bodyTimeout: 0, allowH2: false };

/**
 * Sends the calls of all connections over kept-alive connections: no redirects, no proxies of the environment, no
 * retries. Timeouts are this file's own, one timer a call.
 */
@Injectable()
export class ConnectionClient implements OnApplicationShutdown {
  private readonly agent = new Agent({ ...UNTIMED, connect: CONNECTING });
  /** Shares no connection with the other one. */
  private readonly guardedAgent: Agent;

  /** @param resolve finds addresses, as the system does when left out. */
  constructor(resolve?: Resolver) {
    this.guardedAgent = new Agent({ ...UNTIMED, connect: publicConnector(CONNECTING, resolve) });
  }

  /** @throws ConnectionCallError */
  async send({ guarded, ...request }: WireRequest, options: CallOptions): Promise<WireAnswer> {
    const started = performance.now();
    const exchange = new Exchange();
    const onAbort = (): void => exchange.fail(new ConnectionCallError('aborted', 'the call was given up'));
    if (options.signal?.aborted) onAbort();
    else {
      options.signal?.addEventListener('abort', onAbort, { once: true });
      const timer = setTimeout(() => exchange.fail(timedOut(options.timeoutMs)), options.timeoutMs);
      exchange.onSettled = () => {
        clearTimeout(timer);
        options.signal?.removeEventListener('abort', onAbort);
      };
      try {
        (guarded ? this.guardedAgent : this.agent).dispatch(request, exchange);
      } catch (error) {
        exchange.fail(toCallError(error));
      }
    }
    const { status, contentEncoding, body } = await exchange.answer;
    const latencyMs = Math.round(performance.now() - started);
    return { status, body: contentEncoding === '' ? body : await decodeAnswer(body, contentEncoding), latencyMs };
  }

  /** Ends the calls under way and closes all connections. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all([this.agent.destroy(), this.guardedAgent.destroy()]);
  }
}

interface RawAnswer {
  status: number;
  contentEncoding: string;
  body: Buffer;
}

/** One request under way. Settles once; what comes later is dropped, and a request not yet sent never is. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly answer: Promise<RawAnswer>;
  onSettled: () => void = () => undefined;
  private readonly settle: PromiseWithResolvers<RawAnswer>;
  private controller: Dispatcher.DispatchController | undefined;
  private failure: ConnectionCallError | undefined;
  private status = 0;
  private contentEncoding = '';
  private chunks: Buffer[] = [];
  private bytes = 0;

  constructor() {
    this.settle = Promise.withResolvers();
    this.answer = this.settle.promise;
  }

  fail(error: ConnectionCallError): void {
    if (this.failure) return;
    this.failure = error;
    this.chunks = [];
    this.onSettled();
    this.settle.reject(error);
    this.controller?.abort(error);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.failure) controller.abort(this.failure);
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: IncomingHttpHeaders): void {
    this.status = status;
    this.contentEncoding = String(headers['content-encoding'] ?? '');
    if (Number(headers['content-length']) > ANSWER_BYTES_MAX) this.fail(tooLarge());
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.failure) return;
    this.bytes += chunk.length;
    if (this.bytes > ANSWER_BYTES_MAX) this.fail(tooLarge());
    else this.chunks.push(chunk);
  }

  onResponseEnd(): void {
    if (this.failure) return;
    this.onSettled();
    const body = this.chunks.length === 1 ? this.chunks[0]! : Buffer.concat(this.chunks, this.bytes);
    this.settle.resolve({ status: this.status, contentEncoding: this.contentEncoding, body });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.fail(toCallError(error));
  }
}

const timedOut = (timeoutMs: number): ConnectionCallError =>
  new ConnectionCallError('timeout', `no answer within ${timeoutMs / 1_000} s`);

const SENTENCES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was cut',
  EPIPE: 'the connection was cut',
  UND_ERR_SOCKET: 'the connection was cut',
  ENOTFOUND: 'the host name is not known',
  EAI_AGAIN: 'the host name cannot be looked up now',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  ETIMEDOUT: 'connecting timed out',
  UND_ERR_CONNECT_TIMEOUT: 'connecting timed out',
  ERR_SSL_WRONG_VERSION_NUMBER: 'the server does not speak TLS: is its base_url http://?',
  ERR_SSL_PACKET_LENGTH_TOO_LONG: 'the server does not speak TLS: is its base_url http://?',
  ERR_TLS_CERT_ALTNAME_INVALID: "the server's certificate is for another host name",
  CERT_HAS_EXPIRED: "the server's certificate has expired",
  DEPTH_ZERO_SELF_SIGNED_CERT: "the server's certificate is not trusted",
  SELF_SIGNED_CERT_IN_CHAIN: "the server's certificate is not trusted",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "the server's certificate is not trusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "the server's certificate is not trusted",
  UND_ERR_HEADERS_OVERFLOW: 'the headers of the answer are too large',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'the answer is not as long as it says',
  UND_ERR_DESTROYED: 'the service is stopping',
  UND_ERR_CLOSED: 'the service is stopping',
};

/** By code alone: messages and members of these errors may hold what was sent or answered. */
function toCallError(error: unknown): ConnectionCallError {
  if (error instanceof ConnectionCallError) return error;
  if (error instanceof AddressRefused) {
    return new ConnectionCallError('refused', 'the host resolves to an address that is not public');
  }
  const code = codeOf(error);
  if (code === 'UND_ERR_INVALID_ARG') {
    return new ConnectionCallError('refused', 'the request cannot be sent: a header or the path is not valid');
  }
  if (error instanceof errors.HTTPParserError) return new ConnectionCallError('network', 'the answer is not HTTP');
  return new ConnectionCallError('network', SENTENCES[code] ?? `the call failed${code && ` (${code})`}`);
}

function codeOf(error: unknown): string {
  const { code, errors } = error as { code?: unknown; errors?: unknown };
  // Happy eyeballs: one error an address.
  if (code === undefined && Array.isArray(errors) && errors.length > 0) return codeOf(errors[0]);
  return typeof code === 'string' && /^[A-Z0-9_]{1,64}$/.test(code) ? code : '';
}
