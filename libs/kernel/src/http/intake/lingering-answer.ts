import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';

/** How long a client may pause, and go on in all, while it sends a body that nobody wants. */
const PAUSE_MS_MAX = 1_000;
const LINGER_MS_MAX = 10_000;
/** A pause is counted in so many steps, so that a process that stood still meanwhile counts one of them. */
const PAUSE_STEPS = 10;

/** Whether a request's body is still arriving. */
export const isArriving = (request: IncomingMessage): boolean => !request.complete;

/**
 * An answer to a request whose body is refused unread, for a connection that is then closed. The answer goes out at once
 * and ends when the body has arrived, read and dropped: closing before would reset the connection, and a client that
 * writes its whole request before it reads would see that instead of the answer (RFC 9112, 9.6).
 */
export const lingeringAnswer = (answer: Buffer, request: IncomingMessage): Readable =>
  Readable.from(answerAndDrop(answer, request), { objectMode: false });

async function* answerAndDrop(answer: Buffer, request: IncomingMessage): AsyncGenerator<Buffer> {
  yield answer;
  const { promise: over, resolve: end } = Promise.withResolvers<void>();
  let quietSteps = 0;
  const pause = setInterval(() => {
    if (++quietSteps >= PAUSE_STEPS) end();
  }, PAUSE_MS_MAX / PAUSE_STEPS);
  const deadline = setTimeout(end, LINGER_MS_MAX);
  request.on('data', () => (quietSteps = 0));
  for (const event of ['end', 'close', 'error']) request.once(event, () => end());
  request.resume();
  if (request.complete || request.destroyed) end();
  await over;
  clearInterval(pause);
  clearTimeout(deadline);
}
