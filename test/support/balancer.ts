import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** How often servers are asked whether they are ready. */
const LOOK_MS = 100;

/** A load balancer as in front of any service: it asks servers for `/readyz`, keeps connections open, repeats nothing. */
export interface Balancer {
  url: string;
  /** Requests that a server reset or refused; answered with 502. */
  readonly broken: readonly string[];
  /** Whether it passes requests on to this server now. */
  takes(target: string): boolean;
  close(): void;
}

/** Starts one in front of servers, each of which it takes in turn while it is ready. */
export async function startBalancer(targets: readonly string[]): Promise<Balancer> {
  const agent = new Agent({ keepAlive: true });
  const ready = new Set<string>();
  const broken: string[] = [];
  let next = 0;
  const look = (): Promise<unknown> => Promise.all(targets.map((target) => isReady(target).then(note(ready, target))));
  const pass = (from: IncomingMessage, to: ServerResponse): void => {
    const open = targets.filter((target) => ready.has(target));
    const target = open[next++ % open.length];
    if (!target) return void to.writeHead(503).end();
    const { method, url, headers } = from;
    const onward = request(target + url, { method, headers, agent }, (answer) => {
      // What a server says of its connection is for the balancer alone.
      const { connection: _hop, ...passed } = answer.headers;
      to.writeHead(answer.statusCode!, passed);
      answer.pipe(to);
      answer.on('error', () => to.destroy());
    });
    onward.on('error', (error) => {
      if (from.destroyed && !from.complete) return;
      broken.push(`${method} ${url} at ${target}: ${error.message}`);
      if (to.headersSent) to.destroy();
      else to.writeHead(502).end();
    });
    to.on('close', () => onward.destroy());
    from.pipe(onward);
  };
  const server = createServer({ keepAliveTimeout: 60_000 }, pass).listen(0, '127.0.0.1');
  await new Promise((listening) => server.once('listening', listening));
  await look();
  const looks = setInterval(() => void look(), LOOK_MS).unref();
  server.unref();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    broken,
    takes: (target) => ready.has(target),
    close: () => {
      clearInterval(looks);
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
}

const note =
  (ready: Set<string>, target: string) =>
  (isNow: boolean): void =>
    void (isNow ? ready.add(target) : ready.delete(target));

const isReady = (target: string): Promise<boolean> =>
  fetch(`${target}/readyz`, { signal: AbortSignal.timeout(2_000) }).then(
    async (answer) => {
      await answer.body?.cancel();
      return answer.ok;
    },
    () => false,
  );
