import { Agent, request, type RequestOptions } from 'node:http';
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
  /** CPU of the measured process per request; NaN when none succeeded. */
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
    cpuMicros: requests === 0 ? Number.NaN : (peer.cpuMicros() - before) / requests,
  };
}

/** Turns of warming up, at most, and what a turn must save of the one before for the next one to be worth it. */
const WARM_TURNS_MAX = 8;
const STILL_FALLING = 0.95;

/**
 * Lets a peer run unmeasured until its code is compiled: until a request costs no less than in the turn before. A time
 * alone does not say: beside the load there is little left for the compiler on two cores, and it took from 3 to 8 s.
 */
export async function warmUp(turn: () => Promise<Turn>): Promise<void> {
  let last = Infinity;
  for (let n = 0; n < WARM_TURNS_MAX; n++) {
    const { cpuMicros } = await turn();
    if (cpuMicros > last * STILL_FALLING) return;
    last = cpuMicros;
  }
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

/**
 * Latency of single requests in microseconds, finer than a load generator's milliseconds. The targets take turns request
 * by request, so that they share every mood of the machine.
 * @returns the median of each target.
 */
export async function singleFile(
  targets: { url: string; headers: Record<string, string> }[],
  body: string,
  count: number,
): Promise<number[]> {
  const length = Buffer.byteLength(body);
  const senders = targets.map(({ url, headers }) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const options = {
      method: 'POST',
      agent,
      headers: { 'content-type': 'application/json', 'content-length': length, ...headers },
    };
    return { agent, send: () => timed(new URL(url), options, body), micros: [] as number[] };
  });
  for (let turn = -WARM_UP_TURNS; turn < count; turn++) {
    for (const { send, micros } of senders) {
      const taken = await send();
      if (turn >= 0) micros.push(taken);
    }
  }
  for (const { agent } of senders) agent.destroy();
  return senders.map(({ micros }) => median(micros));
}

const WARM_UP_TURNS = 300;

function timed(target: URL, options: RequestOptions, body: string): Promise<number> {
  return new Promise((done, fail) => {
    const started = process.hrtime.bigint();
    request(target, options)
      .on('response', (response) =>
        response.resume().on('end', () => done(Number(process.hrtime.bigint() - started) / 1_000)),
      )
      .on('error', fail)
      .end(body);
  });
}
