import http, { type IncomingMessage, type ClientRequest } from 'node:http';
import https from 'node:https';
import type { Socket } from 'node:net';
import proxies from 'http-proxy-3';
import { PeriodicTask, type Logger } from '@spandrel/kernel';
import type { Provider } from '@spandrel/plugin-api';
import { withoutToken, type CallerKey } from '../access/caller-key.js';
import type { KeyChecks } from '../access/key-checks.js';
import { joinTarget } from '../target/provider-table.js';
import type { Target } from '../target/resolve-target.js';
import { guardedLookup, type DialOptions } from '../upstream/dial.js';
import type { WebSocketRecorder } from './recorded-websocket.js';
import { UpstreamError } from '../upstream/upstream-client.js';
import { answerErrorOn, breakConnection, type Answered } from './answer-error.js';

/** How callers of cloud mode are looked at again. */
export interface Rechecks {
  keys: Pick<KeyChecks, 'check'>;
  everyMs: number;
  logger: Logger;
}

/**
 * Passes WebSocket connections through; they end with their callers' keys (docs/spec/gateway.md#websockets).
 */
export class Upgrades {
  private readonly proxy = proxies.createProxyServer({ xfwd: false, changeOrigin: false, prependPath: false });
  /** Open sockets, each with its caller; `null` in local mode. */
  private readonly sockets = new Map<Socket, CallerKey | null>();
  /** Upgrades by their sockets, for the events of http-proxy-3. */
  private readonly passing = new WeakMap<Socket, PassedUpgrade>();
  private readonly recheck: PeriodicTask | undefined;
  /** Agents whose look-ups hand out public addresses only. */
  private readonly guardedAgents = {
    http: new http.Agent({ lookup: guardedLookup }),
    https: new https.Agent({ lookup: guardedLookup }),
  };

  /**
   * @param ownHeaders lower case names of headers addressed to the gateway.
   * @param dialling how long upstreams have, for a connection and for their answer to a handshake.
   * @param rechecks left out where callers have no keys.
   */
  constructor(
    private readonly ownHeaders: ReadonlySet<string>,
    private readonly dialling: DialOptions & { headMs: number },
    rechecks?: Rechecks,
  ) {
    // Errors of clients' sockets, on which the sockets close.
    this.proxy.on('error', () => undefined);
    this.proxy.on('proxyReqWs', (request, _req, socket) => this.passing.get(socket)?.watch(request, dialling.headMs));
    if (!rechecks) return;
    const { keys, everyMs, logger } = rechecks;
    const failure = 'the keys of open WebSocket connections could not be checked';
    this.recheck = new PeriodicTask({ everyMs, task: () => this.endRefused(keys), failure, logger });
    this.recheck.start();
  }

  /**
   * Takes over the socket of an upgrade request without a body.
   * @param caller the caller's key; `null` in local mode.
   * @param answer filled in when the request is answered.
   * @param recorded what records it; `null` for nothing.
   */
  pass(
    req: IncomingMessage,
    socket: Socket,
    head: Buffer,
    target: Target,
    caller: CallerKey | null,
    answer: Answered,
    recorded: WebSocketRecorder | null = null,
  ): void {
    const { origin, host } = target.base;
    this.sockets.set(socket, caller);
    socket.on('close', () => this.sockets.delete(socket));
    for (const name of Object.keys(req.headers)) {
      if (this.ownHeaders.has(name) || name.startsWith('x-spandrel-')) delete req.headers[name];
    }
    // Compressed frames would have to be read from the first to the last.
    if (recorded) delete req.headers['sec-websocket-extensions'];
    req.headers.host = host;
    req.url = joinTarget(target.base, withoutToken(req.url!));
    const agents = origin.guarded ? this.guardedAgents : undefined;
    const options = {
      target: { protocol: origin.secure ? 'https:' : 'http:', host, hostname: origin.hostname, port: origin.port },
      connectTimeout: this.dialling.connectMs,
      ...(this.dialling.ca !== undefined && { ca: this.dialling.ca }),
      ...(agents && { agent: origin.secure ? agents.https : agents.http }),
    };
    const upgrade = new PassedUpgrade(req, socket, host, target.wire?.provider ?? null, answer, recorded);
    this.passing.set(socket, upgrade);
    this.proxy.ws(req, socket, head, options, (error) => upgrade.fail(error));
  }

  close(): void {
    void this.recheck?.stop();
    for (const socket of this.sockets.keys()) socket.destroy();
  }

  /** Ends the connections whose caller would not be let in; who cannot be asked about just now stays. */
  private async endRefused(keys: Rechecks['keys']): Promise<void> {
    const endIfRefused = async ([socket, caller]: [Socket, CallerKey | null]): Promise<void> => {
      const verdict = await caller?.use((key) => keys.check(key));
      if (verdict && !verdict.ok && verdict.error.code !== 'unavailable') socket.destroy();
    };
    await Promise.all([...this.sockets].map(endIfRefused));
  }
}

/** How long an upstream has to take what was sent to it after its client has gone. */
const FLUSH_MS = 2_000;

/**
 * One upgrade on its way through http-proxy-3. It does what the library leaves out: the request to upstream ends with the
 * client, upstream has a time limit, a refusal is read no faster than the client reads it, an upstream that breaks off in
 * the middle of an answer is seen as that, and nothing is answered twice.
 */
class PassedUpgrade {
  private accepted = false;

  /**
   * @param host for error messages.
   * @param provider in whose shape errors are answered; `null` when it is not known.
   * @param answer filled in.
   * @param recorded what is to see the open connection; `null` for none.
   */
  constructor(
    private readonly req: IncomingMessage,
    private readonly socket: Socket,
    private readonly host: string,
    private readonly provider: Provider | null,
    private readonly answer: Answered,
    private readonly recorded: WebSocketRecorder | null = null,
  ) {}

  /**
   * Takes the request to upstream before http-proxy-3 listens to it.
   * @param headMs longest time until upstream answers.
   */
  watch(request: ClientRequest, headMs: number): void {
    this.socket.once('close', () => {
      if (!this.accepted) request.destroy();
    });
    request.setTimeout(headMs, () => {
      request.destroy(new UpstreamError('timeout', 'the upstream did not answer in time'));
    });
    this.socket.on('readable', this.lookForEnd).once('end', this.leave);
    request.on('upgrade', (_response, upstream: Socket) => this.accept(upstream));
    request.on('response', (response) => {
      request.setTimeout(0);
      this.refuse(response);
    });
  }

  /** The library could not go on: says so to the client, or breaks the connection when an answer has begun. */
  fail(error: Error): void {
    if (this.answer.status !== 0) {
      breakConnection(this.socket, this.req);
      return;
    }
    this.stopLooking();
    const { host } = this;
    const known = error instanceof UpstreamError;
    const code = known && error.kind === 'refused' ? 'target_not_allowed' : 'bad_gateway';
    const message = known ? `${host}: ${error.reason}` : `${host} cannot be reached.`;
    Object.assign(this.answer, answerErrorOn(this.socket, { code, message }, this.provider));
  }

  /** Finds out, before anybody reads the client's bytes, whether the client has ended its side; they stay where they are. */
  private readonly lookForEnd = (): void => {
    if (this.socket.readableLength === 0) this.socket.read(0);
  };

  private readonly leave = (): void => void this.socket.destroy();

  private stopLooking(): void {
    this.socket.off('readable', this.lookForEnd).off('end', this.leave);
  }

  private accept(upstream: Socket): void {
    this.accepted = true;
    this.stopLooking();
    this.answer.status = 101;
    this.recorded?.watch(this.socket, upstream);
    this.socket.once('close', () => {
      upstream.destroySoon();
      const timer = setTimeout(() => upstream.destroy(), FLUSH_MS);
      upstream.once('close', () => clearTimeout(timer));
    });
  }

  private refuse(response: IncomingMessage): void {
    const { socket } = this;
    this.answer.status = response.statusCode!;
    // The connection ends with this answer, and what upstream says of its own connection does not concern the client.
    delete response.headers['keep-alive'];
    response.headers.connection = 'close';
    response.on('data', () => {
      if (socket.writableNeedDrain) response.pause();
    });
    socket.on('drain', () => response.resume());
    response.on('error', (error) => this.fail(error));
  }
}
