import http from 'node:http';
import https from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import proxies from 'http-proxy-3';
import { PeriodicTask, type Logger } from '@spandrel/kernel';
import { withoutToken, type CallerKey } from '../access/caller-key.js';
import type { KeyChecks } from '../access/key-checks.js';
import { joinTarget } from '../target/base-url.js';
import type { Target } from '../target/resolve-target.js';
import { guardedLookup, type DialOptions } from '../upstream/dial.js';
import { PassedUpgrade, type UpgradeAnswer } from './passed-upgrade.js';
import type { RecordedWebSocket } from './recorded-websocket.js';

/** How callers of cloud mode are looked at again. */
export interface Rechecks {
  keys: Pick<KeyChecks, 'check'>;
  everyMs: number;
  logger: Logger;
}

/**
 * Passes WebSocket connections through, those of Realtime APIs unrecorded; they end with their callers' keys
 * (docs/spec/gateway.md#websockets).
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
    answer: UpgradeAnswer,
    recorded: RecordedWebSocket | null = null,
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

  /** Ends every connection. */
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
