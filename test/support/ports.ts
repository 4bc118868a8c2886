import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below 32,768, from where on systems take the ports of anyone who asks for any: none of those takes one between here and
 * the start of the program that it is for.
 */
const FIRST = 12_000;
const COUNT = 20_000;

let next = randomInt(COUNT);

/** Ports nobody listens on now. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const port = FIRST + (next++ % COUNT);
    if (await isFree(port)) ports.push(port);
  }
  return ports;
}

/** A port nobody listens on now. */
export const freePort = async (): Promise<number> => (await freePorts(1))[0]!;

function isFree(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const server = createServer()
    .once('error', () => resolve(false))
    .listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  return promise;
}
