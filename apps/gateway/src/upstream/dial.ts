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

/**
 * Opens a connection to an origin. The socket is returned at once, with `connected` called when it can be used
 * (after TLS) and an `error` event otherwise; {@link DialOptions.connectMs} counts name resolution and TLS in.
 * @param session TLS session of an earlier connection to the same origin.
 */
export function dial(
  origin: Origin,
  options: DialOptions,
  session: Buffer | undefined,
  connected: () => void,
): net.Socket {
  const target = {
    host: origin.hostname,
    port: origin.port,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
    ...(origin.guarded && { lookup: guardedLookup }),
  };
  const socket = origin.secure
    ? tls.connect({
        ...target,
        ALPNProtocols: ['http/1.1'],
        ...(net.isIP(origin.hostname) === 0 && { servername: origin.hostname }),
        ...(session && { session }),
        ...(options.ca !== undefined && { ca: options.ca }),
      })
    : net.connect(target);
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
  return socket;
}
