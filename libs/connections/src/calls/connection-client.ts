import type { IncomingHttpHeaders } from 'node:http';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Agent, buildConnector, errors } from 'undici';
import { type Resolver, isPublicAddress, publicLookup } from '@spandrel/kernel';
import { ANSWER_BYTES_MAX, ConnectionCallError, tooLarge, decodeAnswer } from './decode-answer.js';
import { networkFailure } from './network-failure.js';
import { isIP, type LookupFunction } from 'node:net';

/** A connection was not made: its host is not known, or would have led inward. By its code callers know it. */
class AddressRefused extends Error {
  override readonly name = 'AddressRefused';
  readonly code = 'ERR_ADDRESS_NOT_PUBLIC';
}

const refused = (): AddressRefused => new AddressRefused('the address is not public');

/** How long a name that is not called takes to be refused at least, in milliseconds. */
export const REFUSAL_MS_MIN = 1_000;

/**
 * A `lookup` whose every failure is the same, after the same time, so that nobody learns which names there are inside
 * (docs/spec/connections.md#where-a-connection-may-lead).
 */
export const evenLookup =
  (lookup: LookupFunction): LookupFunction =>
  (hostname, options, callback) => {
    const began = performance.now();
    lookup(hostname, options, (error, ...found) => {
      if (!error) callback(null, ...found);
      else setTimeout(() => callback(refused(), '', 0), REFUSAL_MS_MIN - (performance.now() - began));
    });
  };

/** Makes connections to public addresses alone; each is checked at the moment it is dialled. @param options of undici. */
function publicConnector(options: buildConnector.BuildOptions, resolve?: Resolver): buildConnector.connector {
  const connect = buildConnector({ ...options, lookup: evenLookup(publicLookup(refused, resolve)) });
  return (target, callback) => {
    if (isIP(target.hostname) !== 0 && !isPublicAddress(target.hostname)) callback(refused(), null);
    else connect(target, callback);
  };
}

export interface WireRequest {
  /** `https://api.openai.com` */
  origin: string;
  /** What errors call the server: its origin, unless that is not for the caller to know. */
  server: string;
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
  retryAfter: string;
  latencyMs: number;
}

export interface CallOptions {
  /** How long the whole answer may take; with `onPiece` the next piece of it. */
  timeoutMs: number;
  signal?: AbortSignal | undefined;
  /** Takes the pieces of the body of a good answer as they come; no more is read until it resolves. */
  onPiece?: ((piece: Buffer) => Promise<void>) | undefined;
}

const CONNECTING = { timeout: 10_000, maxCachedSessions: 1_000, allowH2: false };
const UNTIMED = { headersTimeout: 0, bodyTimeout: 0, allowH2: false, maxResponseSize: ANSWER_BYTES_MAX };

/** How long a request may have been under way when its connection is reset, for it to be sent once more. */
const RESEND_MS_MAX = 1_000;

/** Codes of a connection that was reset: bytes that were sent were not read. Its mere end says nothing of them. */
const RESETS: ReadonlySet<unknown> = new Set(['ECONNRESET', 'EPIPE']);

interface Agents {
  kept: Agent;
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
    try {
      const started = this.now();
      const { status, headers, body } = await this.exchange(request, options);
      const latencyMs = Math.round(this.now() - started);
      const coding = String(headers['content-encoding'] ?? '');
      const decoded = coding === '' ? body : await decodeAnswer(body, coding);
      if (coding !== '' && decoded && isGood(status)) await options.onPiece?.(decoded);
      return { status, body: decoded, retryAfter: String(headers['retry-after'] ?? ''), latencyMs };
    } catch (error) {
      throw toCallError(error, request.server);
    }
  }

  private async exchange(request: WireRequest, options: CallOptions): Promise<RawAnswer> {
    const { kept, fresh } = request.guarded ? this.guardedAgents : this.agents;
    const started = this.now();
    const { made } = this.count;
    try {
      return await exchangeOver(kept, request, options);
    } catch (error) {
      const elapsed = this.now() - started;
      const wasReset = RESETS.has(codeOf(error)) && this.count.brokeOneOf(made, error as Error);
      if (!wasReset || elapsed > RESEND_MS_MAX) throw error;
      return await exchangeOver(fresh, request, { ...options, timeoutMs: options.timeoutMs - elapsed });
    }
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
}

interface RawAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** @throws ConnectionCallError; the connection's own error where it broke before any of an answer had come. */
async function exchangeOver(agent: Agent, request: WireRequest, options: CallOptions): Promise<RawAnswer> {
  const { timeoutMs, signal, onPiece } = options;
  const ended = new AbortController();
  const giveUp = (): void => ended.abort(new ConnectionCallError('aborted', 'the call was given up'));
  const timer = setTimeout(() => ended.abort(timedOut(request.server, timeoutMs)), timeoutMs);
  signal?.addEventListener('abort', giveUp);
  if (signal?.aborted) giveUp();
  try {
    const { statusCode: status, headers, body } = await agent.request({ ...request, signal: ended.signal });
    if (Number(headers['content-length']) > ANSWER_BYTES_MAX) ended.abort(tooLarge());
    try {
      if (!onPiece || !isGood(status) || headers['content-encoding']) {
        return { status, headers, body: Buffer.from(await body.arrayBuffer()) };
      }
      const pieces: Buffer[] = [];
      for await (const piece of body as AsyncIterable<Buffer>) {
        pieces.push(piece);
        await onPiece(piece);
        timer.refresh();
      }
      return { status, headers, body: Buffer.concat(pieces) };
    } catch (error) {
      throw toCallError(error, request.server);
    }
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', giveUp);
  }
}

const isGood = (status: number): boolean => status >= 200 && status < 300;

/** Counts the connections that are made, and knows by an error which one it came from. */
class ConnectionCount {
  made = 0;
  private readonly brokenBy = new WeakMap<object, number>();

  /** The connector, its connections counted. */
  counting(connect: buildConnector.connector): buildConnector.connector {
    return (target, callback) =>
      connect(target, (...outcome) => {
        const [, socket] = outcome;
        if (socket) {
          const number = ++this.made;
          socket.once('error', (error) => this.brokenBy.set(error, number));
        }
        callback(...outcome);
      });
  }

  /** Whether an error broke one of the first so many connections. */
  brokeOneOf(first: number, error: object): boolean {
    return (this.brokenBy.get(error) ?? Infinity) <= first;
  }
}

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
  if (code === 'UND_ERR_RES_EXCEEDED_MAX_SIZE') return tooLarge();
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
