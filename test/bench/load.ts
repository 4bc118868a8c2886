import autocannon from 'autocannon';
import type { Peer } from './process.ts';

/** What one turn of load showed. */
export interface Turn {
  requests: number;
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  failures: number;
  /** CPU of the measured process per request. */
  cpuMicros: number;
}

export interface Load {
  url: string;
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
  /** Requests sent one after another by each connection, for flows such as create and complete. */
  requests?: autocannon.Request[];
  connections: number;
  seconds: number;
}

/** One turn of load against a peer: requests, latencies, and the CPU the peer used for them. */
export async function run(load: Load, peer: Peer): Promise<Turn> {
  const before = peer.cpuMicros();
  const result = await autocannon({
    url: load.url,
    method: load.method ?? 'POST',
    headers: { 'content-type': 'application/json', ...load.headers },
    ...(load.body !== undefined && { body: load.body }),
    ...(load.requests && { requests: load.requests }),
    connections: load.connections,
    duration: load.seconds,
  });
  const requests = result['2xx'];
  return {
    requests,
    perSecond: requests / result.duration,
    p50: result.latency.p50,
    p99: result.latency.p99,
    failures: result.non2xx + result.errors + result.timeouts,
    cpuMicros: (peer.cpuMicros() - before) / Math.max(1, requests),
  };
}

/** The middle of some figures. */
export function median(figures: number[]): number {
  const sorted = figures.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Median of each figure over the turns of one row. */
export function medianTurn(turns: Turn[]): Turn {
  const of = (key: keyof Turn): number => median(turns.map((turn) => turn[key]));
  return {
    requests: of('requests'),
    perSecond: of('perSecond'),
    p50: of('p50'),
    p99: of('p99'),
    failures: turns.reduce((sum, { failures }) => sum + failures, 0),
    cpuMicros: of('cpuMicros'),
  };
}

/** Latency of single requests, one after another, in microseconds: finer than a load generator's milliseconds. */
export async function singleFile(
  url: string,
  headers: Record<string, string>,
  body: string,
  count: number,
): Promise<number> {
  const { Agent, request } = await import('node:http');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const target = new URL(url);
  const once = (): Promise<number> =>
    new Promise((done, fail) => {
      const started = process.hrtime.bigint();
      request(target, {
        method: 'POST',
        agent,
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), ...headers },
      })
        .on('response', (response) =>
          response.resume().on('end', () => done(Number(process.hrtime.bigint() - started) / 1000)),
        )
        .on('error', fail)
        .end(body);
    });
  for (let i = 0; i < 50; i++) await once();
  const micros: number[] = [];
  for (let i = 0; i < count; i++) micros.push(await once());
  agent.destroy();
  return median(micros);
}
