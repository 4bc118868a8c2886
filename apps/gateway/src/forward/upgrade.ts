import http from 'node:http';
import https from 'node:https';
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import proxies from 'http-proxy-3';
import { withoutToken } from '../access/request-key.js';
import { joinTarget } from '../target/base-url.js';
import type { Target } from '../target/resolve-target.js';
import { guardedLookup } from '../upstream/guarded-lookup.js';
import { UpstreamError } from '../upstream/upstream-client.js';
import { answerErrorOn } from './answer-error.js';

/** Passes WebSocket connections (Realtime APIs) through, unrecorded. */
export class Upgrades {
  private readonly proxy = proxies.createProxyServer({ xfwd: false, changeOrigin: false, prependPath: false });
  private readonly sockets = new Set<Duplex>();
  /** Agents whose look-ups hand out public addresses only. */
  private readonly guardedAgents = {
    http: new http.Agent({ lookup: guardedLookup }),
    https: new https.Agent({ lookup: guardedLookup }),
  };

  /** @param ownHeaders lower case names of headers addressed to the gateway. */
  constructor(
    private readonly ownHeaders: ReadonlySet<string>,
    private readonly connectMs: number,
  ) {}

  /** Takes over the socket of an upgrade request. */
  pass(req: IncomingMessage, socket: Duplex, head: Buffer, target: Target): void {
    const { origin, host } = target.base;
    this.sockets.add(socket);
    socket.on('close', () => this.sockets.delete(socket));
    for (const name of Object.keys(req.headers)) {
      if (this.ownHeaders.has(name) || name.startsWith('x-spandrel-')) delete req.headers[name];
    }
    req.headers.host = host;
    req.url = joinTarget(target.base, withoutToken(req.url!));
    const agents = origin.guarded ? this.guardedAgents : undefined;
    const options = {
      target: { protocol: origin.secure ? 'https:' : 'http:', host, hostname: origin.hostname, port: origin.port },
      connectTimeout: this.connectMs,
      ...(agents && { agent: origin.secure ? agents.https : agents.http }),
    };
    this.proxy.ws(req, socket as never, head, options, (error) => {
      const refused = error instanceof UpstreamError && error.kind === 'refused';
      const message = refused ? `${host}: ${error.reason}` : `${host} cannot be reached.`;
      answerErrorOn(socket, refused ? 'target_not_allowed' : 'bad_gateway', message, target.wire?.provider ?? null);
    });
  }

  /** Ends every connection. */
  close(): void {
    for (const socket of this.sockets) socket.destroy();
  }
}
