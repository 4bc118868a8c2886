import net from 'node:net';
import tls from 'node:tls';
import { isPublicAddress } from '@spandrel/kernel';
import { guardedLookup } from './guarded-lookup.js';
import { UpstreamError, type Origin } from './upstream-client.js';

/** How connections to upstreams are made. */
export interface DialOptions {
  connectMs: number;
  /** Extra certificate authorities, for tests and private upstreams. */
  ca?: string | undefined;
}

/** A connection that is being opened. */
export interface Dialled {
  /** The socket that requests and answers go through. */
  socket: net.Socket;
  /** The TCP connection below it; `socket` itself where there is no TLS. */
  transport: net.Socket;
}

/**
 * Opens a connection to an origin. Its sockets are returned at once, with `connected` called when it can be used
 * (after TLS) and an `error` event otherwise; {@link DialOptions.connectMs} counts name resolution and TLS in. The
 * sockets stay half open when the upstream ends its side: whoever reads them ends ours.
 * @param session TLS session of an earlier connection to the same origin.
 */
export function dial(
  origin: Origin,
  options: DialOptions,
  session: Buffer | undefined,
  connected: () => void,
): Dialled {
  const transport = net.connect({
    host: origin.hostname,
    port: origin.port,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
    allowHalfOpen: true,
    ...(origin.guarded && { lookup: guardedLookup }),
  });
  const socket = origin.secure ? secured(transport, origin, options, session) : transport;
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

function secured(
  transport: net.Socket,
  { hostname }: Origin,
  { ca }: DialOptions,
  session: Buffer | undefined,
): tls.TLSSocket {
  const socket = tls.connect({
    socket: transport,
    host: hostname,
    ALPNProtocols: ['http/1.1'],
    ...(net.isIP(hostname) === 0 && { servername: hostname }),
    ...(session && { session }),
    ...(ca !== undefined && { ca }),
  });
  transport.on('error', (error) => socket.destroy(error));
  socket.on('close', () => transport.destroy());
  return socket;
}
