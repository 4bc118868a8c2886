import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ERRORS, type ErrorCode } from '@spandrel/contract';
import { refuseUnread, type ArrivalLimits } from '@spandrel/http';
import { newId } from '@spandrel/kernel';
import { withoutToken } from '../access/caller-key.js';
import type { Call } from '../recording/call.js';
import type { CallFacts, Outcome } from '../recording/call-facts.js';
import type { Target } from '../target/resolve-target.js';
import { joinTarget } from '../target/provider-table.js';
import { Flow } from './flow.js';
import { ONE_TEXT_BYTES_MAX } from '../upstream/http1-connection.js';
import type { ListMember } from '../unordered-list.js';
import {
  UpstreamError,
  type Exchange,
  type ResponseHead,
  type UpstreamClient,
  type UpstreamHandler,
} from '../upstream/upstream-client.js';
import { QUESTION_BYTES_MAX, type UsageQuestion } from '../usage/usage-question.js';
import { answerError, breakConnection } from './answer-error.js';
import { pairs, requestHeaders, responseHeaders } from './forward-headers.js';

export interface ForwardHost {
  /** Lower case names of headers addressed to the gateway. */
  readonly ownHeaders: ReadonlySet<string>;
  /** Called when it is over. @param status the status that the client got, 0 for none. @param outcome why it is over. */
  onForwarded(forward: Forward, status: number, outcome: Outcome): void;
  /** Called once the client has been sent the end, too. */
  onSent(forward: Forward): void;
  onCallEnded(call: Call, outcome: Outcome): void;
  onUpstreamError(forward: Forward, error: UpstreamError): void;
  onResend(): void;
}

/** Request bodies up to this length are gathered and written in one go; others stream. */
const GATHERED_BYTES_MAX = 64 * 1024;

/** The most interim answers (1xx) of one call that are passed on, and that are taken from an upstream at all. */
const PASSED_INTERIM_MAX = 32;
const INTERIM_MAX = 1_000;

/**
 * One request on its way to its upstream and the answer on its way back, unchanged
 * (docs/spec/gateway.md#bytes-pass-unchanged). With a {@link Call} all that goes by is taken down before it goes on; with a
 * spool directory the end of the answer goes on when the recording is kept. No method waits for anything.
 */
export class Forward implements UpstreamHandler, ListMember {
  listIndex = -1;
  readonly startedTick = performance.now();
  private exchange: Exchange | null = null;
  /** The last piece of the answer, which goes with its end. */
  private last: Buffer | null = null;
  private head: ResponseHead | null = null;
  private blocked = false;
  private over = false;
  private interim = 0;
  private passedInterim = 0;
  /** Whether the client was or will be asked for its body. */
  private continuing = false;
  /** Whether the request's body passes piece by piece. */
  private streams = false;
  /** Whether bytes have passed, either way, since it was last looked for them; and how often none had. */
  private moved = false;
  private quietLooks = 0;
  /** The client knows that upstream wants the body, or did not wait for that. */
  private continued = false;
  private readonly requestFlow = new Flow(() => this.req.resume());
  private readonly answerFlow = new Flow(() => this.exchange?.resume());
  private ownId: string | undefined;

  constructor(
    private readonly host: ForwardHost,
    readonly req: IncomingMessage,
    private readonly res: ServerResponse,
    readonly target: Target,
    private readonly call: Call | null,
    /** The gateway's own question in this call; `null`: all passes as it is. */
    private readonly question: UsageQuestion | null,
    /** Where it goes: to the provider, or to a cassette. */
    private readonly upstream: UpstreamClient,
  ) {}

  /** What is known of the call that is recorded as a span; `undefined` when it is not. */
  get facts(): CallFacts | undefined {
    return this.call?.asksFor === null ? this.call.facts : undefined;
  }

  /** The request's id: that of its span where it is recorded. */
  get id(): string {
    return this.facts?.id ?? (this.ownId ??= newId());
  }

  start(): void {
    const { req, res } = this;
    res.on('close', () => this.clientGone());
    res.on('error', () => this.clientGone());
    req.on('error', () => this.clientGone());
    const length = req.headers['content-length'];
    const gatheredMax = this.question ? QUESTION_BYTES_MAX : GATHERED_BYTES_MAX;
    if (req.headers['transfer-encoding'] !== undefined) this.stream('chunked');
    else if (length === undefined || length === '0') this.sendWhole(null);
    else if (Number(length) <= gatheredMax && req.headers.expect === undefined) this.gather();
    else this.stream('length');
  }

  /** Breaks off: the gateway stops. */
  stop(): void {
    if (this.over) return;
    this.exchange?.abort();
    this.finish({ kind: 'stopped' }, this.head?.status ?? 0);
    // The response has no socket yet while it waits behind others on its connection.
    this.req.socket.destroy();
  }

  /**
   * Looks whether the request's body still comes; called every `sweepMs`. One that is too slow is answered 408, and the call
   * given up. Looks are counted and not time, so that a process that stood still meanwhile counts one.
   */
  lookForBody({ wholeMs, gapMs, sweepMs }: ArrivalLimits): void {
    if (this.over || this.req.complete) return;
    if (this.streams && (this.moved || !this.isWaitedFor())) this.quietLooks = 0;
    this.moved = false;
    if (++this.quietLooks * sweepMs > (this.streams ? gapMs : wholeMs)) this.giveUpLate();
  }

  /**
   * Passes an interim answer on, or drops it: the 33rd of a call and those after it, one that comes while the client does
   * not take what was sent before, and one whose call waits behind others on its connection. Too many of them end the call
   * (docs/spec/gateway.md#interim-answers).
   */
  onInformation(status: number, headers: string[]): void {
    const { req, res } = this;
    if (this.over || res.headersSent) return;
    if (++this.interim > INTERIM_MAX) {
      this.exchange?.abort();
      this.onError(new UpstreamError('protocol', 'the upstream sent interim answers without end'));
      return;
    }
    if (req.httpVersionMinor !== 1) return;
    if (status === 100) {
      if (req.headers.expect !== undefined) this.passContinue();
      return;
    }
    if (this.passedInterim >= PASSED_INTERIM_MAX || res.socket?.writableLength !== 0) return;
    this.passedInterim++;
    res.writeInformation(status, responseHeaders(headers, false));
  }

  onHead(head: ResponseHead): void {
    if (this.over) return;
    this.call?.responseHead(head);
    const { req, res } = this;
    const http11 = req.httpVersionMinor === 1;
    res.sendDate = false;
    // An HTTP/1.1 connection that stays open needs no header that says so.
    if (http11 && res.shouldKeepAlive) res.removeHeader('connection');
    const headers = this.question?.responseHeaders(head) ?? head.headers;
    res.writeHead(head.status, head.statusMessage, responseHeaders(headers, http11 && head.framing === 'chunked'));
    this.head = head;
  }

  onData(piece: Buffer | null): boolean {
    if (this.over) return true;
    if (piece === null) {
      this.res.flushHeaders();
      return true;
    }
    const passed = this.take(piece);
    const isTaken = passed.length === 0 || this.write(passed);
    return this.answerFlow.passed(piece.length, isTaken);
  }

  onEnd(rest: Buffer | null, trailers: string[]): void {
    if (this.over) return;
    if (trailers.length > 0) this.res.addTrailers(pairs(trailers));
    this.takeLast(rest);
    this.finish({ kind: 'answered' }, this.head!.status, () => this.endAnswer());
    // An answer that came before the whole request leaves a connection nobody can use again.
    this.exchange?.abort();
  }

  onError(error: UpstreamError): void {
    if (this.over) return;
    this.host.onUpstreamError(this, error);
    if (this.head !== null) this.breakOff(error.reason);
    else this.answerFailure(error);
  }

  onResend(): void {
    this.host.onResend();
  }

  onDrain(): void {
    this.requestFlow.drained();
  }

  /** Has the client send its body. A client that waits for this must get it, so that it is held until its turn comes. */
  private passContinue(): void {
    if (this.continuing) return;
    this.continuing = true;
    const { res } = this;
    this.withSocket(() => {
      this.continued = true;
      if (!res.headersSent) res.writeContinue();
    });
  }

  /** Calls back with the client's connection: at once, or when the response's turn on it has come, before it is written. */
  private withSocket(use: (socket: Socket) => void): void {
    const { res } = this;
    if (res.socket) use(res.socket);
    else res.once('socket', use);
  }

  private endAnswer(): void {
    const { res, last } = this;
    if (last === null) res.end();
    else if (last.length > ONE_TEXT_BYTES_MAX) res.end(last);
    else res.end(last.toString('latin1'), 'latin1');
  }

  /** A piece of the answer has come. @returns what of it goes on by now, possibly nothing. */
  private take(piece: Buffer): Buffer {
    this.moved = true;
    this.call?.responseChunk(piece);
    return this.question?.pass(piece) ?? piece;
  }

  /** Nothing more of the answer comes. @param piece what came with its end. */
  private takeLast(piece: Buffer | null): void {
    const passed = piece === null ? null : this.take(piece);
    const rest = this.question?.rest();
    const last = passed && rest ? Buffer.concat([passed, rest]) : (passed ?? rest);
    if (last && last.length > 0) this.last = last;
  }

  private sendWhole(body: Buffer | null): void {
    this.call?.endRequest();
    this.send(body && (this.question?.request(body) ?? body));
  }

  private gather(): void {
    const gathered: Buffer[] = [];
    this.req.on('data', (chunk: Buffer) => {
      this.call?.requestChunk(chunk);
      gathered.push(chunk);
    });
    this.req.on('end', () => {
      if (!this.over) this.sendWhole(gathered.length === 1 ? gathered[0]! : Buffer.concat(gathered));
    });
  }

  private stream(framing: 'length' | 'chunked'): void {
    const { req } = this;
    this.streams = true;
    this.send(framing);
    req.on('data', (chunk: Buffer) => {
      if (this.over) return;
      this.moved = this.continued = true;
      this.call?.requestChunk(chunk);
      if (!this.requestFlow.passed(chunk.length, this.exchange!.write(chunk))) req.pause();
    });
    req.on('end', () => {
      if (this.over) return;
      this.call?.endRequest();
      this.exchange!.end(req.rawTrailers);
    });
  }

  private send(body: Buffer | null | 'length' | 'chunked'): void {
    const { req, target, host } = this;
    const own = requestHeaders(req.rawHeaders, req.headers.connection, target.base.host, host.ownHeaders);
    const headers = Buffer.isBuffer(body) ? (this.question?.requestHeaders(own, body.length) ?? own) : own;
    const path = joinTarget(target.base, withoutToken(req.url!));
    this.exchange = this.upstream.send({ origin: target.base.origin, method: req.method!, path, headers, body }, this);
  }

  /** @returns false to stop reading, as {@link onData}. */
  private write(chunk: Buffer): boolean {
    if (this.res.write(chunk)) return true;
    if (!this.blocked) {
      this.blocked = true;
      this.res.on('drain', () => this.answerFlow.drained());
    }
    return false;
  }

  /** It is over after the head of the answer: the client gets what came, and then a connection that ends too early. */
  private breakOff(reason: string): void {
    this.takeLast(null);
    this.finish({ kind: 'cut', reason }, this.head!.status, () => this.endBroken());
  }

  private endBroken(): void {
    const { res, last } = this;
    if (last !== null) res.write(last);
    else res.flushHeaders();
    // At the end of the tick all that the response holds is in its socket.
    this.withSocket((socket) => process.nextTick(() => breakConnection(socket, this.req)));
  }

  private answerFailure(error: UpstreamError): void {
    const reason = error.kind === 'connect' ? `upstream unreachable: ${error.reason}` : error.reason;
    const code = error.kind === 'refused' ? 'target_not_allowed' : 'bad_gateway';
    this.answerInstead(code, `${this.target.base.host}: ${reason}`, reason);
  }

  /** It is over before the head of an answer: the gateway answers itself. */
  private answerInstead(code: ErrorCode, message: string, reason: string): void {
    const { status } = ERRORS[code];
    const { req, res, target, id } = this;
    this.finish({ kind: 'unreachable', status, reason }, status, () => {
      if (code === 'request_timeout') refuseUnread(req, res);
      answerError(res, { code, message }, target.wire?.provider ?? null, id);
    });
  }

  /** Whether nothing but its client keeps a body that is passed on from coming. */
  private isWaitedFor(): boolean {
    const { req } = this;
    const waitsForContinue = req.headers.expect !== undefined && !this.continued;
    return !req.isPaused() && !waitsForContinue;
  }

  private giveUpLate(): void {
    this.exchange?.abort();
    const reason = 'the request body did not arrive in time';
    if (this.head !== null) this.breakOff(reason);
    else this.answerInstead('request_timeout', 'The request body did not arrive in time.', reason);
  }

  private clientGone(): void {
    if (this.over) return;
    this.exchange?.abort();
    this.finish({ kind: 'client-gone' }, this.head?.status ?? 0);
    this.res.destroy();
  }

  /** @param sendEnd sends the client the end, once the recording is kept. */
  private finish(outcome: Outcome, status: number, sendEnd?: () => void): void {
    this.over = true;
    const { call, host } = this;
    if (call) host.onCallEnded(call, outcome);
    host.onForwarded(this, status, outcome);
    // What is left of the request is read and dropped, so that the connection can carry the next.
    if (!this.req.complete) this.req.resume();
    const end = (): void => {
      sendEnd?.();
      host.onSent(this);
    };
    if (call && sendEnd) call.afterPersisted(end);
    else end();
  }
}
