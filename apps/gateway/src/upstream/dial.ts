import net from 'node:net';
import tls from 'node:tls';
import { isPublicAddress, publicLookup } from '@spandrel/kernel';
import { UpstreamError, type Origin } from './upstream-client.js';

export interface DialOptions {
  connectMs: number;
  /** Extra certificate authorities, for tests and private upstreams. */
  ca?: string | undefined;
}

export interface Dialled {
  socket: net.Socket;
  /** The TCP connection below it; `socket` itself where there is no TLS. */
  transport: net.Socket;
}

/** A `lookup` for sockets to hosts that callers name: it hands out public addresses only. */
export const guardedLookup = publicLookup(
  () => new UpstreamError('refused', 'the name resolves to an address that is not public'),
);

/**
 * Opens a connection to an origin. Its sockets are returned at once, with `connected` called when it can be used
 * (after TLS) and an `error` event otherwise; {@link DialOptions.connectMs} counts name resolution and TLS in. The
 * sockets stay half open when the upstream ends its side.
 */
export function dial(origin: Origin, options: DialOptions, connected: () => void): Dialled {
  const transport = net.connect({
    host: origin.hostname,
    port: origin.port,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
    allowHalfOpen: true,
    ...(origin.guarded && { lookup: guardedLookup }),
  });
  const socket = origin.secure ? secured(transport, origin, options) : transport;
  const timer = setTimeout(
    () => socket.destroy(new UpstreamError('connect', 'connecting timed out')),
    options.connectMs,
  );
  const settled = (): void => clearTimeout(timer);
  socket.once(origin.secure ? 'secureConnect' : 'connect', () => {
    settled();
    connected();
  });
  socket.once('close', settled);
  // A literal address is never looked up, so the guard has to see it here.
  if (origin.guarded && net.isIP(origin.hostname) !== 0 && !isPublicAddress(origin.hostname)) {
    socket.destroy(new UpstreamError('refused', 'the address is not public'));
  }
  return { socket, transport };
}

function secured(transport: net.Socket, { hostname }: Origin, { ca }: DialOptions): tls.TLSSocket {
  const socket = tls.connect({
    socket: transport,
    host: hostname,
    ALPNProtocols: ['http/1.1'],
    ...(net.isIP(hostname) === 0 && { servername: hostname }),
    ...(ca !== undefined && { ca }),
  });
  transport.on('error', (error) => socket.destroy(error));
  socket.on('close', () => transport.destroy());
  return socket;
}

/** Time between two probes, at first and at most. */
const PROBE_MS = 2;
const PROBE_MS_MAX = 50;

/**
 * Finds out whether the upstream of a half-closed connection has also stopped reading. A system that gets bytes for a
 * closed socket answers with a reset, which a reader that has already seen the end does not notice. Writing no bytes
 * asks the kernel: it sends nothing, and fails once a reset has come. Then the socket has an `error` event and closes;
 * after `withinMs` without a reset it is destroyed without an error.
 * @param transport the TCP socket; a TLS socket does not pass empty writes on.
 */
export function probeForReset(transport: net.Socket, withinMs: number): void {
  const until = performance.now() + withinMs;
  let pauseMs = PROBE_MS;
  const probe = (): void => {
    if (transport.destroyed) return;
    transport.write('', (error) => {
      if (error || transport.destroyed) return;
      if (performance.now() >= until) {
        transport.destroy();
        return;
      }
      setTimeout(probe, pauseMs);
      pauseMs = Math.min(PROBE_MS_MAX, pauseMs * 2);
    });
  };
  probe();
}
