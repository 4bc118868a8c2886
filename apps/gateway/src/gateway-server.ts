import http, { type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import {
  endWith,
  framingFault,
  IntakeRequest,
  localRequestFault,
  namesOneHost,
  opensWebSocket,
  refuseMalformed,
  refuseUnread,
  RequestScheduler,
  takeRequest,
  type CredentialRefusals,
} from '@spandrel/http';
import { newId } from '@spandrel/kernel';
import type { Provider, RequestHead } from '@spandrel/plugin-api';
import { keyOf, type CallerKey } from './access/caller-key.js';
import type { KeyChecks, Verdict } from './access/key-checks.js';
import { answerError, answerErrorOn, type ErrorAnswered, type GatewayError } from './forward/answer-error.js';
import type { UpgradeAnswer } from './forward/upgrade.js';
import type { RecordingRules } from './masking/recording-rules.js';
import type { RequestLog } from './request-log.js';
import type { Refusal, Target, TargetResolver } from './target/resolve-target.js';

/** What becomes of requests that may pass. */
export interface GatewayHandlers {
  /** @param caller the caller's key; `null` in local mode. */
  forward(req: IncomingMessage, res: ServerResponse, head: RequestHead, target: Target, caller: CallerKey | null): void;
  upgrade(
    req: IncomingMessage,
    socket: Socket,
    first: Buffer,
    head: RequestHead,
    target: Target,
    caller: CallerKey | null,
    answer: UpgradeAnswer,
  ): void;
  /** @returns true when the gateway has answered the path itself. */
  own(path: string, req: IncomingMessage, res: ServerResponse): boolean;
  /** Answers that the gateway is there. */
  greet(req: IncomingMessage, res: ServerResponse): void;
}

/** Answers an error to a caller, over HTTP or on a bare socket. */
type Answer = (error: GatewayError, provider: Provider | null) => ErrorAnswered;

/** The listener: refuses what may not pass and finds out where the rest goes. Outside Nest, since every call runs through. */
export class GatewayServer {
  readonly http: http.Server;
  private ending = false;

  /**
   * @param keys checks callers' keys; `null` in local mode, which checks Host and Origin instead.
   * @param rules of masking, which calls of local mode wait for here and others with their key.
   * @param refusals counts wrong keys by the address they come from.
   * @param recordsWebSockets whether calls of the Responses API may come by WebSocket.
   * @param log gets the requests that are not passed on, and upgrades; `null` when requests are not logged.
   */
  constructor(
    private readonly resolver: TargetResolver,
    private readonly handlers: GatewayHandlers,
    private readonly keys: Pick<KeyChecks, 'check'> | null,
    private readonly rules: Pick<RecordingRules, 'ready'>,
    private readonly refusals: CredentialRefusals,
    private readonly recordsWebSockets: boolean,
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
      IncomingMessage: IntakeRequest,
      shouldUpgradeCallback: opensWebSocket,
    } as http.ServerOptions);
    const turns = new RequestScheduler(this.http);
    const begin = (req: IncomingMessage, res: ServerResponse): void => {
      if (takeRequest(req, res)) turns.begin(() => this.onRequest(req, res));
    };
    this.http.on('request', begin).on('checkContinue', begin).on('checkExpectation', begin);
    // An upgrade without a body comes with its socket.
    this.http.on('upgrade', (req, socket, head) => this.onUpgrade(req, socket as Socket, head));
    this.http.on('clientError', (error, socket) => {
      refuseMalformed(error, socket, (refused) => this.log?.malformed(refused, socket as Socket));
    });
  }

  /** From now on each answer is the last of its connection. */
  endConnections(): void {
    this.ending = true;
  }

  private onRequest(req: IncomingMessage, res: ServerResponse): void {
    if (this.ending) endWith(res);
    const answer = this.logged(req, (error, provider) => answerError(res, error, provider));
    if (req.method === 'CONNECT') {
      res.setHeader('Allow', 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS');
      const message = 'The gateway is not a CONNECT proxy: use its address as the base URL of your client.';
      answer({ code: 'method_not_allowed', message }, null);
      return;
    }
    const head = this.admit(req, answer);
    if (head === null) return;
    const unreadable = framingFault(req);
    if (unreadable !== undefined) {
      refuseUnread(req, res);
      answer(unreadable, providerOf(this.resolver.resolve(head)));
      return;
    }
    if (this.handlers.own(head.path, req, res)) return;
    const target = this.resolver.resolve(head);
    if (asksWhetherThere(head, target)) {
      this.handlers.greet(req, res);
      return;
    }
    this.route(req, target, answer, (target, caller) => {
      // The client may have left while its key was checked.
      if (!res.destroyed) this.handlers.forward(req, res, head, target, caller);
    });
  }

  private onUpgrade(req: IncomingMessage, socket: Socket, first: Buffer): void {
    socket.on('error', () => socket.destroy());
    const answer = this.logged(req, (error, provider) => answerErrorOn(socket, error, provider));
    const admitted = this.admit(req, answer);
    if (admitted === null) return;
    const areResponses = callsResponses(admitted.path);
    // Each message of such a connection is a call as it would come over HTTP.
    const head = areResponses ? { ...admitted, method: 'POST' } : admitted;
    this.route(req, this.resolver.resolve(head), answer, (target, caller) => {
      if (socket.destroyed) return;
      if (areResponses && !this.recordsWebSockets) {
        answer(USE_HTTP, target.wire?.provider ?? null);
        return;
      }
      const answered: UpgradeAnswer = { id: newId(), status: 0 };
      this.log?.upgraded(req, socket, target.providerName, answered);
      this.handlers.upgrade(req, socket, first, head, target, caller, answered);
    });
  }

  private logged(req: IncomingMessage, answer: Answer): Answer {
    const { log } = this;
    if (log === null) return answer;
    return (error, provider) => {
      const answered = answer(error, provider);
      log.answered(req, answered);
      return answered;
    };
  }

  /** The head of a request that may come in; `null` when it was refused. */
  private admit(req: IncomingMessage, answer: Answer): RequestHead | null {
    const { headers } = req;
    const url = req.url!;
    if (url.charCodeAt(0) !== 0x2f) {
      const message = 'The request target must be a path: the gateway is addressed like the provider.';
      answer({ code: 'malformed_request', message }, null);
      return null;
    }
    if (!namesOneHost(req)) {
      answer({ code: 'malformed_request', message: 'The request must have exactly one Host.' }, null);
      return null;
    }
    const foreign = this.keys === null ? localRequestFault(headers) : undefined;
    if (foreign !== undefined) {
      answer({ code: 'host_not_allowed', message: foreign }, null);
      return null;
    }
    const mark = url.indexOf('?');
    return {
      method: req.method!,
      path: mark === -1 ? url : url.slice(0, mark),
      headers: headers as RequestHead['headers'],
    };
  }

  /**
   * The caller's key is checked first: a caller without a valid one learns nothing of where requests may go. Who came to
   * the wrong program is answered so without one.
   */
  private route(
    req: IncomingMessage,
    target: Target | Refusal,
    answer: Answer,
    pass: (target: Target, caller: CallerKey | null) => void,
  ): void {
    const refused = 'code' in target;
    const settle = (caller: CallerKey | null): void => {
      if (refused) answer(target, target.provider);
      else pass(target, caller);
    };
    if (this.keys === null || (refused && target.needsNoKey)) {
      const ready = this.keys === null && !refused ? this.rules.ready(null) : undefined;
      if (ready) void ready.then(() => settle(null));
      else settle(null);
      return;
    }
    const decide = (verdict: Verdict): void => {
      if (verdict.ok) settle(verdict.caller);
      else answer(this.refusals.of(verdict.error, req), providerOf(target));
    };
    const verdict = this.keys.check(keyOf(req));
    if (verdict instanceof Promise) void verdict.then(decide);
    else decide(verdict);
  }
}

/** The provider in whose shape errors about a target are written; `null` where none is known. */
const providerOf = (target: Target | Refusal): Provider | null =>
  'code' in target ? target.provider : (target.wire?.provider ?? null);

/** Whether somebody who is no client of a provider asks for the gateway itself (docs/spec/gateway.md#misdirected-requests). */
const asksWhetherThere = ({ method, path }: RequestHead, target: Target | Refusal): boolean =>
  method === 'HEAD' && path === '/' && 'code' in target && target.code === 'not_found';

const callsResponses = (path: string): boolean => /\/responses\/?$/.test(path);

/** Calls that would go unrecorded; clients of the Responses API that are refused make them over HTTP. */
const USE_HTTP: GatewayError = {
  code: 'http_required',
  message:
    'The gateway takes calls of the Responses API over HTTP: send them as POST requests (Codex does so now; ' +
    'supports_websockets = false for its model provider saves it the attempt). ' +
    'Set gateway.websocket_recording: true to have them pass by WebSocket and be recorded.',
};
