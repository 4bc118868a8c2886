import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** How long a client may pause, and go on in all, while it sends what nobody wants. */
const PAUSE_MS_MAX = 1_000;
const LINGER_MS_MAX = 10_000;
/** A pause is counted in so many steps, so that a process that stood still meanwhile counts one of them. */
const PAUSE_STEPS = 10;
const STEP_MS = PAUSE_MS_MAX / PAUSE_STEPS;

const lingering = new WeakSet<Duplex>();

/** Whether a connection has been ended by {@link endLingering} and still reads what comes. */
export const isLingering = (socket: Duplex): boolean => lingering.has(socket);

/**
 * Ends a connection after what has been written to it, and reads and drops what its client still sends: closing at once
 * would reset it, and a client that writes its whole request before it reads would see that instead of the answer
 * (RFC 9112, 9.6).
 */
export function endLingering(socket: Socket): void {
  lingering.add(socket);
  let read = socket.bytesRead;
  let steps = 0;
  let quietSteps = 0;
  const step = setInterval(() => {
    quietSteps = socket.bytesRead === read ? quietSteps + 1 : 0;
    read = socket.bytesRead;
    if (++steps * STEP_MS >= LINGER_MS_MAX || quietSteps >= PAUSE_STEPS) socket.destroy();
  }, STEP_MS);
  socket.once('close', () => clearInterval(step));
  if (socket.destroyed) clearInterval(step);
  socket.end();
  socket.resume();
}
