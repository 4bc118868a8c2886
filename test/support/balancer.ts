import { Agent, createServer, request, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';

/** How long after its answer a server is asked again whether it is ready. */
const LOOK_MS = 100;
/** A server that has not answered by then is not ready. On a busy machine one that is takes seconds to say so. */
const ANSWER_MS_MAX = 60_000;

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
  let closed = false;
  const look = async (target: string): Promise<void> => void ready[(await isReady(target)) ? 'add' : 'delete'](target);
  // One after the other, so that no late answer is taken for the newest.
  const watch = async (target: string): Promise<void> => {
    while (!closed) {
      await pause(LOOK_MS, undefined, { ref: false });
      await look(target);
    }
  };
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
  await Promise.all(targets.map(look));
  for (const target of targets) void watch(target);
  server.unref();
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    broken,
    takes: (target) => ready.has(target),
    close: () => {
      closed = true;
      server.close();
      server.closeAllConnections();
      agent.destroy();
    },
  };
}

const isReady = (target: string): Promise<boolean> =>
  fetch(`${target}/readyz`, { signal: AbortSignal.timeout(ANSWER_MS_MAX) }).then(
    async (answer) => {
      await answer.body?.cancel();
      return answer.ok;
    },
    () => false,
  );
