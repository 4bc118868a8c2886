import type { IncomingHttpHeaders } from 'node:http';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Agent, buildConnector, errors, type Dispatcher } from 'undici';
import type { Resolver } from '@spandrel/kernel';
import { ANSWER_BYTES_MAX, ConnectionCallError, tooLarge, decodeAnswer } from './decode-answer.js';
import { ConnectionCount } from './connection-count.js';
import { networkFailure } from './network-failure.js';
import { AddressRefused, publicConnector } from './public-connector.js';

/** A request as it goes on the wire. */
export interface WireRequest {
  /** `https://api.openai.com` */
  origin: string;
  /** What errors call the server: its origin, unless that is not for the caller to know. */
  server: string;
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
  /** The header Retry-After; empty when there is none. */
  retryAfter: string;
  /** Time from sending to the last byte. */
  latencyMs: number;
}

export interface CallOptions {
  timeoutMs: number;
  signal?: AbortSignal | undefined;
}

const CONNECTING = { timeout: 10_000, maxCachedSessions: 1_000, allowH2: false };
const UNTIMED = { headersTimeout: 0, bodyTimeout: 0, allowH2: false };

/** How long a request may have been under way when its connection is reset, for it to be sent once more. */
const RESEND_MS_MAX = 1_000;

/** Codes of a connection that was reset: bytes that were sent were not read. Its mere end says nothing of them. */
const RESETS: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE']);

interface Agents {
  /** Keeps connections open between calls. */
  kept: Agent;
  /** Makes a connection for each call. */
  fresh: Agent;
}

/**
 * Sends the calls of all connections over kept-alive connections: no redirects, no proxies of the environment, and no
 * retries, but for a request that met a connection which the server was just closing as idle (ADR 0018): it was not read,
 * and goes once more, on a connection of its own. Timeouts are this file's own, one timer a call.
 */
@Injectable()
export class ConnectionClient implements OnApplicationShutdown {
  private readonly count = new ConnectionCount();
  private readonly agents: Agents;
  /** Share no connection with the others. */
  private readonly guardedAgents: Agents;

  /** @param resolve finds addresses, as the system does when left out. @param now in ms, of any origin. */
  constructor(
    resolve?: Resolver,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.agents = this.agentsBy(buildConnector(CONNECTING));
    this.guardedAgents = this.agentsBy(publicConnector(CONNECTING, resolve));
  }

  /** @throws ConnectionCallError */
  async send(request: WireRequest, options: CallOptions): Promise<WireAnswer> {
    const { kept, fresh } = request.guarded ? this.guardedAgents : this.agents;
    const started = this.now();
    const { made } = this.count;
    const exchange = this.begin(kept, request, options);
    let answer: RawAnswer;
    try {
      answer = await exchange.answer;
    } catch (error) {
      const elapsed = this.now() - started;
      if (!exchange.wasReset || elapsed > RESEND_MS_MAX || !this.count.brokeOneOf(made, exchange.brokenBy!))
        throw error;
      answer = await this.begin(fresh, request, { ...options, timeoutMs: options.timeoutMs - elapsed }).answer;
    }
    const { status, contentEncoding, retryAfter, body } = answer;
    const latencyMs = Math.round(this.now() - started);
    const decoded = contentEncoding === '' ? body : await decodeAnswer(body, contentEncoding);
    return { status, body: decoded, retryAfter, latencyMs };
  }

  /** Ends the calls under way and closes all connections. */
  async onApplicationShutdown(): Promise<void> {
    const all = [this.agents, this.guardedAgents].flatMap(({ kept, fresh }) => [kept, fresh]);
    await Promise.all(all.map((agent) => agent.destroy()));
  }

  private agentsBy(connector: buildConnector.connector): Agents {
    const connect = this.count.counting(connector);
    return { kept: new Agent({ ...UNTIMED, connect }), fresh: new Agent({ ...UNTIMED, connect, pipelining: 0 }) };
  }

  private begin(agent: Agent, request: WireRequest, { timeoutMs, signal }: CallOptions): Exchange {
    const { server } = request;
    const exchange = new Exchange(server);
    if (signal?.aborted) {
      exchange.fail(givenUp());
      return exchange;
    }
    const timer = setTimeout(() => exchange.fail(timedOut(server, timeoutMs)), timeoutMs);
    const abort = (): void => exchange.fail(givenUp());
    signal?.addEventListener('abort', abort);
    exchange.onSettled = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
    };
    try {
      agent.dispatch(request, exchange);
    } catch (error) {
      exchange.fail(toCallError(error, server));
    }
    return exchange;
  }
}

interface RawAnswer {
  status: number;
  contentEncoding: string;
  retryAfter: string;
  body: Buffer;
}

/** One request under way. Settles once; what comes later is dropped, and a request not yet sent never is. */
class Exchange implements Dispatcher.DispatchHandler {
  readonly answer: Promise<RawAnswer>;
  onSettled: () => void = () => undefined;
  private readonly settle: PromiseWithResolvers<RawAnswer>;
  private controller: Dispatcher.DispatchController | undefined;
  /** The error of the connection, as it came. */
  brokenBy: Error | undefined;
  private failure: ConnectionCallError | undefined;
  private status = 0;
  private contentEncoding = '';
  private retryAfter = '';
  private chunks: Buffer[] = [];
  private bytes = 0;

  constructor(private readonly server: string) {
    this.settle = Promise.withResolvers();
    this.answer = this.settle.promise;
  }

  /** Whether its connection was reset before any of an answer had come. */
  get wasReset(): boolean {
    return this.brokenBy !== undefined && this.status === 0 && RESETS.has(codeOf(this.brokenBy));
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
    this.retryAfter = String(headers['retry-after'] ?? '');
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
    const { status, contentEncoding, retryAfter } = this;
    this.settle.resolve({ status, contentEncoding, retryAfter, body });
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (!this.failure) this.brokenBy = error;
    this.fail(toCallError(error, this.server));
  }
}

const givenUp = (): ConnectionCallError => new ConnectionCallError('aborted', 'the call was given up');

const timedOut = (server: string, timeoutMs: number): ConnectionCallError =>
  new ConnectionCallError(
    'timeout',
    `no answer from ${server} within ${timeoutMs / 1_000} s: is the server overloaded, or its model still loading?`,
  );

function toCallError(error: unknown, server: string): ConnectionCallError {
  if (error instanceof ConnectionCallError) return error;
  if (error instanceof AddressRefused) {
    const sentence = `the host name of ${server} is not known, or has an address that is not public: check base_url for a typing error; hosts that are not public need an entry in connections.allow_private`;
    return new ConnectionCallError('refused', sentence);
  }
  const code = codeOf(error);
  if (code === 'UND_ERR_INVALID_ARG') {
    return new ConnectionCallError('refused', 'the request cannot be sent: a header or the path is not valid');
  }
  if (error instanceof errors.HTTPParserError) {
    const sentence = `the answer of ${server} is not HTTP: does base_url name the right port, and begin with https:// where TLS is spoken?`;
    return new ConnectionCallError('network', sentence);
  }
  return new ConnectionCallError('network', networkFailure(code, server));
}

function codeOf(error: unknown): string {
  const { code, errors } = error as { code?: unknown; errors?: unknown };
  // Happy eyeballs: one error an address.
  if (code === undefined && Array.isArray(errors) && errors.length > 0) return codeOf(errors[0]);
  return typeof code === 'string' && /^[A-Z0-9_]{1,64}$/.test(code) ? code : '';
}
