import type { Socket } from 'node:net';

/** Time between two probes, at first and at most. */
const PROBE_MS = 2;
const PROBE_MS_MAX = 50;

/**
 * Finds out whether the upstream of a half-closed connection has also stopped reading. A system that gets bytes for a
 * closed socket answers with a reset, which nothing tells a reader that has already seen the end. Writing no bytes
 * asks the kernel: it sends nothing, and fails once a reset has come. Then the socket has an `error` event and closes;
 * after `withinMs` without a reset it is destroyed without an error.
 * @param transport the TCP socket; a TLS socket does not pass empty writes on.
 */
export function probeForReset(transport: Socket, withinMs: number): void {
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
