import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { ERRORS, type ErrorCode } from '@spandrel/contract';
import { answerMalformedHttp, isLocalRequest, namesOneHost } from '@spandrel/kernel';
import type { Provider, RequestHead } from '@spandrel/plugin-api';
import { answerError, answerErrorOn, type ErrorAnswered } from './forward/answer-error.js';
import type { RequestLog } from './request-log.js';
import type { Target, TargetResolver } from './target/resolve-target.js';

/** Who a caller is; `refused` says why not. */
type Authorisation = { ok: true } | { ok: false; code: ErrorCode; message: string };

/** Checks a caller's key (cloud mode). @param key of `X-Spandrel-Key` or `?token=`; `null` when none was sent. */
export type Authorise = (key: string | null) => Authorisation | Promise<Authorisation>;

/** What becomes of requests that may pass. */
export interface GatewayHandlers {
  forward(req: IncomingMessage, res: ServerResponse, head: RequestHead, target: Target): void;
  upgrade(req: IncomingMessage, socket: Duplex, head: Buffer, target: Target): void;
  /** @returns true when the gateway has answered the path itself. */
  own(path: string, req: IncomingMessage, res: ServerResponse): boolean;
}

/** Answers an error to a caller, over HTTP or on a bare socket. */
type Answer = (code: ErrorCode, message: string, provider: Provider | null) => ErrorAnswered;

/** The listener: refuses what may not pass and finds out where the rest goes. Outside Nest, since every call runs through. */
export class GatewayServer {
  readonly http: http.Server;

  /**
   * @param authorise checks callers' keys; `null` in local mode, which checks Host and Origin instead.
   * @param log told of the requests that are not passed on, and of upgrades; `null` when requests are not logged.
   */
  constructor(
    private readonly resolver: TargetResolver,
    private readonly handlers: GatewayHandlers,
    private readonly authorise: Authorise | null,
    private readonly log: RequestLog | null,
  ) {
    this.http = http.createServer({
      joinDuplicateHeaders: true,
      noDelay: true,
      keepAlive: true,
      keepAliveTimeout: 75_000,
      headersTimeout: 60_000,
      // Long uploads and streams are what a gateway is for; only the head has a limit.
      requestTimeout: 0,
      maxHeaderSize: 64 * 1024,
      requireHostHeader: false,
      shouldUpgradeCallback: ({ method, headers }: IncomingMessage) =>
        method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket',
    } as http.ServerOptions);
    this.http.on('request', (req, res) => this.onRequest(req, res));
    this.http.on('checkContinue', (req, res) => this.onRequest(req, res));
    this.http.on('checkExpectation', (req, res) => this.onRequest(req, res));
    this.http.on('upgrade', (req, socket, head) => this.onUpgrade(req, socket, head));
    this.http.on('connect', (req, socket) => {
      const answered = answerErrorOn(socket, 'method_not_allowed', 'The gateway is no CONNECT proxy.', null);
      this.log?.answered(req, answered);
    });
    this.http.on('clientError', (error, socket) => {
      const refused = answerMalformedHttp(error, socket);
      if (refused) this.log?.malformed(refused, socket as Socket);
    });
  }

  private onRequest(req: IncomingMessage, res: ServerResponse): void {
    const answer = this.logged(req, (code, message, provider) => answerError(res, code, message, provider));
    const head = this.admit(req, answer);
    if (head === null || this.handlers.own(head.path, req, res)) return;
    this.route(req, head, answer, (target) => this.handlers.forward(req, res, head, target));
  }

  private onUpgrade(req: IncomingMessage, socket: Duplex, first: Buffer): void {
    socket.on('error', () => socket.destroy());
    const answer = this.logged(req, (code, message, provider) => answerErrorOn(socket, code, message, provider));
    const head = this.admit(req, answer);
    if (head === null) return;
    this.route(req, head, answer, (target) => {
      this.log?.upgraded(req, socket, target.providerName);
      this.handlers.upgrade(req, socket, first, target);
    });
  }

  private logged(req: IncomingMessage, answer: Answer): Answer {
    const { log } = this;
    if (log === null) return answer;
    return (code, message, provider) => {
      const answered = answer(code, message, provider);
      log.answered(req, answered);
      return answered;
    };
  }

  /** The head of a request that may come in; `null` when it was refused. */
  private admit(req: IncomingMessage, answer: Answer): RequestHead | null {
    const { headers } = req;
    const url = req.url!;
    if (url.charCodeAt(0) !== 0x2f) {
      answer(
        'malformed_request',
        'The request target must be a path: the gateway is addressed like the provider.',
        null,
      );
      return null;
    }
    if (!namesOneHost(req)) {
      answer('malformed_request', 'The request must have exactly one Host.', null);
      return null;
    }
    if (this.authorise === null && !isLocalRequest({ host: headers.host, origin: headers.origin })) {
      answer('host_not_allowed', 'In local mode only programs of this machine are served.', null);
      return null;
    }
    const mark = url.indexOf('?');
    return {
      method: req.method!,
      path: mark === -1 ? url : url.slice(0, mark),
      headers: headers as RequestHead['headers'],
    };
  }

  private route(req: IncomingMessage, head: RequestHead, answer: Answer, pass: (target: Target) => void): void {
    const target = this.resolver.resolve(head);
    if ('code' in target) {
      answer(target.code, target.message, target.provider);
      return;
    }
    if (this.authorise === null) {
      pass(target);
      return;
    }
    const refuse = (code: ErrorCode, message: string): void =>
      void answer(code, message, target.wire?.provider ?? null);
    Promise.resolve(this.authorise(keyOf(req))).then(
      (verdict) => (verdict.ok ? pass(target) : refuse(verdict.code, verdict.message)),
      () => refuse('unavailable', ERRORS.unavailable.title),
    );
  }
}

/** The caller's own key, from its header or `?token=`. */
function keyOf(req: IncomingMessage): string | null {
  const header = req.headers['x-spandrel-key'];
  if (typeof header === 'string' && header !== '') return header;
  const mark = req.url!.indexOf('?');
  return mark === -1 ? null : new URLSearchParams(req.url!.slice(mark)).get('token');
}
