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
  type ArrivalLimits,
  type CredentialRefusals,
} from '@spandrel/http';
import { newId } from '@spandrel/kernel';
import type { Provider, RequestHead } from '@spandrel/plugin-api';
import { keyOf, type CallerKey } from './access/caller-key.js';
import type { KeyChecks, Verdict } from './access/key-checks.js';
import { answerError, answerErrorOn, type Answered, type GatewayError } from './forward/answer-error.js';
import { Forward, type ForwardHost } from './forward/forward.js';
import type { Upgrades } from './forward/upgrade.js';
import type { Cassettes } from './cassette/cassettes.js';
import type { GatewaySettings } from './gateway.settings.js';
import type { GatewayMetrics } from './metrics.js';
import type { OwnEndpoints } from './own-endpoints.js';
import type { Call } from './recording/call.js';
import type { Outcome } from './recording/call-facts.js';
import type { CallRecording } from './recording/call-recording.js';
import type { RequestLog } from './request-log.js';
import type { Refusal, Target, TargetResolver } from './target/resolve-target.js';
import { UnorderedList } from './unordered-list.js';
import type { UpstreamClient, UpstreamError } from './upstream/upstream-client.js';
import { UsageQuestion } from './usage/usage-question.js';

export interface GatewayServerParts {
  settings: Pick<GatewaySettings, 'askForUsage' | 'websocketRecording'>;
  resolver: TargetResolver;
  /** Checks callers' keys; `null` in local mode, which checks Host and Origin instead. */
  keys: Pick<KeyChecks, 'check'> | null;
  /** Counts wrong keys by the address they come from. */
  refusals: CredentialRefusals;
  /** Lower case names of headers addressed to the gateway. */
  ownHeaders: ReadonlySet<string>;
  upstream: UpstreamClient;
  upgrades: Upgrades;
  recording: CallRecording;
  cassettes: Cassettes;
  own: OwnEndpoints;
  metrics: GatewayMetrics;
  /** Gets a line a request; `null` when requests are not logged. */
  log: RequestLog | null;
}

/** Answers an error to a caller, over HTTP or on a bare socket. */
type Answer = (error: GatewayError, provider: Provider | null) => Answered;

/**
 * The listener: refuses what may not pass, finds out where the rest goes, and passes it on, recorded. Outside Nest, since
 * every call runs through.
 */
export class GatewayServer implements ForwardHost {
  readonly http: http.Server;
  private readonly forwards = new UnorderedList<Forward>();
  private ending = false;

  constructor(private readonly parts: GatewayServerParts) {
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
      // What waited for its turn may have lost its client meanwhile, and would hear nothing of it.
      if (takeRequest(req, res))
        turns.begin(() => req.socket.destroyed || this.onRequest(req, res), res.socket === null);
    };
    this.http.on('request', begin).on('checkContinue', begin).on('checkExpectation', begin);
    // An upgrade without a body comes with its socket.
    this.http.on('upgrade', (req, socket, head) => this.onUpgrade(req, socket as Socket, head));
    this.http.on('clientError', (error, socket) => {
      refuseMalformed(error, socket, (refused) => parts.log?.malformed(refused, socket as Socket));
    });
  }

  get ownHeaders(): ReadonlySet<string> {
    return this.parts.ownHeaders;
  }

  /** Calls under way. */
  get inFlight(): number {
    return this.forwards.size;
  }

  /** From now on each answer is the last of its connection. */
  endConnections(): void {
    this.ending = true;
  }

  /** Gives up calls whose request's body comes too slowly. */
  lookForBodies(limits: ArrivalLimits): void {
    for (const forward of this.forwards.all()) forward.lookForBody(limits);
  }

  /** Breaks all calls off. */
  breakOff(): void {
    for (const forward of this.forwards.all()) forward.stop();
  }

  onForwarded(forward: Forward, status: number, outcome: Outcome): void {
    const { providerName, endpoint } = forward.target;
    const seconds = (performance.now() - forward.startedTick) / 1_000;
    this.parts.metrics.request(providerName, endpoint?.name ?? 'other', status, seconds);
    this.parts.log?.forwarded(forward, status, outcome.kind === 'client-gone');
  }

  onSent(forward: Forward): void {
    this.forwards.remove(forward);
  }

  onCallEnded(call: Call, outcome: Outcome): void {
    this.parts.recording.end(call, outcome);
  }

  onUpstreamError(forward: Forward, error: UpstreamError): void {
    this.parts.metrics.upstreamErrors.inc({ provider: forward.target.providerName, kind: error.kind });
  }

  onResend(): void {
    this.parts.metrics.upstreamResends.inc();
  }

  private onRequest(req: IncomingMessage, res: ServerResponse): void {
    const { resolver, own } = this.parts;
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
      answer(unreadable, providerOf(resolver.resolve(head)));
      return;
    }
    if (own.handle(head.path, req, res)) return;
    const target = resolver.resolve(head);
    if (asksWhetherThere(head, target)) {
      own.greet(req, res);
      return;
    }
    this.route(req, target, answer, (target, caller) => {
      // The client may have left while its key was checked.
      if (!res.destroyed) this.forward(req, res, head, target, caller);
    });
  }

  private forward(
    req: IncomingMessage,
    res: ServerResponse,
    head: RequestHead,
    target: Target,
    caller: CallerKey | null,
  ): void {
    const { settings, cassettes, recording, log } = this.parts;
    const { endpoint } = target;
    const upstream = cassettes.upstreamOf(req, target, this.parts.upstream);
    if (upstream !== null && 'code' in upstream) {
      const answered = answerError(res, upstream, target.wire?.provider ?? null);
      log?.answered(req, answered);
      return;
    }
    const call = cassettes.areAlone ? null : recording.begin(req, head, target, caller);
    const question = settings.askForUsage && endpoint ? UsageQuestion.of(endpoint, req.headers) : null;
    const forward = new Forward(this, req, res, target, call, question, upstream ?? this.parts.upstream);
    log?.begin(req);
    this.forwards.add(forward);
    forward.start();
  }

  private onUpgrade(req: IncomingMessage, socket: Socket, first: Buffer): void {
    const { settings, resolver, recording, cassettes, upgrades, log } = this.parts;
    socket.on('error', () => socket.destroy());
    const answer = this.logged(req, (error, provider) => answerErrorOn(socket, error, provider));
    const admitted = this.admit(req, answer);
    if (admitted === null) return;
    const areResponses = callsResponses(admitted.path);
    // Each message of such a connection is a call as it would come over HTTP.
    const head = areResponses ? { ...admitted, method: 'POST' } : admitted;
    this.route(req, resolver.resolve(head), answer, (target, caller) => {
      if (socket.destroyed) return;
      if (areResponses && !settings.websocketRecording) {
        answer(USE_HTTP, target.wire?.provider ?? null);
        return;
      }
      const answered: Answered = { id: newId(), status: 0 };
      log?.upgraded(req, socket, target.providerName, answered);
      if (cassettes.isNamedBy(req)) {
        Object.assign(answered, answerErrorOn(socket, CASSETTES_HAVE_NO_WEBSOCKETS, target.wire?.provider ?? null));
        return;
      }
      const recorded = settings.websocketRecording ? recording.ofWebSocket(req, head, target, caller) : null;
      upgrades.pass(req, socket, first, target, caller, answered, recorded);
    });
  }

  private logged(req: IncomingMessage, answer: Answer): Answer {
    const { log } = this.parts;
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
    const foreign = this.parts.keys === null ? localRequestFault(headers) : undefined;
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
    const { keys, recording, cassettes, refusals } = this.parts;
    const refused = 'code' in target;
    const settle = (caller: CallerKey | null): void => {
      if (refused) answer(target, target.provider);
      else pass(target, caller);
    };
    if (keys === null || (refused && target.needsNoKey)) {
      const ready = keys === null && !refused && !cassettes.areAlone ? recording.rules.ready(null) : undefined;
      if (ready) void ready.then(() => settle(null));
      else settle(null);
      return;
    }
    const decide = (verdict: Verdict): void => {
      if (verdict.ok) settle(verdict.caller);
      else answer(refusals.of(verdict.error, req), providerOf(target));
    };
    const verdict = keys.check(keyOf(req));
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

const CASSETTES_HAVE_NO_WEBSOCKETS: GatewayError = {
  code: 'http_required',
  message: 'A cassette has calls over HTTP: this one came as a WebSocket, which is not passed on.',
};
