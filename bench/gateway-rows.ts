import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { median, medianTurn, run, singleFile, warmUp, type Load, type Turn } from './load.ts';
import { startPeer, type Peer } from './process.ts';
import { freePorts } from '../test/support/ports.ts';
import { countSpans } from './database.ts';

const NGINX = ['/usr/sbin/nginx', '/usr/local/sbin/nginx', '/opt/homebrew/bin/nginx'].find((path) => existsSync(path));
const peerFile = (name: string): string => resolve(`bench/peers/${name}.ts`);

const messages = [
  { role: 'system', content: 'You answer in one sentence.' },
  { role: 'user', content: 'y'.repeat(800) },
];
const jsonBody = JSON.stringify({ model: 'gpt-4o', messages });
const sseBody = JSON.stringify({ model: 'gpt-4o', messages, stream: true });

/** The peer that records nothing and keeps its connections, as this gateway does. */
export const KEEP_ALIVE = 'http-proxy-3, keep-alive';
/** Turns of the gateway with its recordings on disk against the one without, a round; each of a second. */
const DISK_TURNS = 3;

/** One way through: a proxy in front of the same upstream. */
interface Way {
  name: string;
  peer: Peer;
  port: number;
  headers: Record<string, string>;
}

export interface GatewayFigures {
  /** By way: nginx (when installed), http-proxy-3, spandrel, portkey. */
  json32: Record<string, Turn>;
  json128: Record<string, Turn>;
  sse: Record<string, Turn>;
  /** Median latency at one connection over the direct one, microseconds. */
  addedMicros: Record<string, number>;
  /** What a call costs more with `gateway.spool_dir`, in microseconds of the gateway's CPU. */
  diskMicros: number;
  recorded: { called: number; stored: number };
  rss: { before: number; after: number };
}

/** The gateway against its peers: each round visits all of them, so that they share the machine's moods. */
export async function measureGateway(rounds: number, seconds: number): Promise<GatewayFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'spandrel-bench-'));
  const [upstream, api, gateway, disk, proxy, keepAlive, nginx, portkey] = await freePorts(8);
  const stops: (() => Promise<void>)[] = [];
  const start = async (...args: Parameters<typeof startPeer>): Promise<Peer> => {
    const peer = await startPeer(...args);
    stops.push(peer.stop);
    return peer;
  };
  try {
    await start(process.execPath, [peerFile('upstream'), String(upstream)], [upstream!]);
    await start(
      process.execPath,
      ['dist/apps/server/src/main.js', '--port', String(api), '--data-dir', join(folder, 'data')],
      [api!],
    );
    const startGateway = (port: number, env: Record<string, string> = {}): Promise<Peer> =>
      start(
        process.execPath,
        ['dist/apps/gateway/src/main.js', '--port', String(api), '--gateway-port', String(port)],
        [port],
        {
          SPANDREL_API_URL: `http://127.0.0.1:${api}`,
          SPANDREL_OPENAI_BASE_URL: `http://127.0.0.1:${upstream}`,
          ...env,
        },
      );
    const own = await startGateway(gateway!);
    const ways: Way[] = [{ name: 'spandrel', peer: own, port: gateway!, headers: {} }];
    if (NGINX) {
      writeFileSync(join(folder, 'nginx.conf'), nginxConfig(folder, nginx!, upstream!));
      ways.unshift({
        name: 'nginx',
        peer: await start(NGINX, ['-c', join(folder, 'nginx.conf')], [nginx!]),
        port: nginx!,
        headers: {},
      });
    }
    for (const [name, port, ...args] of [
      ['http-proxy-3', proxy!],
      [KEEP_ALIVE, keepAlive!, 'keep-alive'],
    ] as const) {
      const peer = await start(
        process.execPath,
        [peerFile('http-proxy'), String(port), String(upstream), ...args],
        [port],
      );
      ways.push({ name, peer, port, headers: {} });
    }
    ways.push({
      name: 'portkey',
      peer: await start(
        process.execPath,
        ['node_modules/@portkey-ai/gateway/build/start-server.js', `--port=${portkey}`, '--headless'],
        [portkey!],
      ),
      port: portkey!,
      headers: {
        'x-portkey-provider': 'openai',
        'x-portkey-custom-host': `http://127.0.0.1:${upstream}/v1`,
        authorization: 'Bearer sk-bench',
      },
    });
    const before = own.rssBytes();
    let called = 0;
    const turns = async (body: string, connections: number): Promise<Record<string, Turn>> => {
      const seen = new Map<string, Turn[]>(ways.map(({ name }) => [name, []]));
      for (let round = 0; round < rounds; round++) {
        for (const way of ways) {
          const load: Load = {
            url: `http://127.0.0.1:${way.port}/v1/chat/completions`,
            headers: way.headers,
            body,
            connections,
            seconds,
          };
          const turn = await run(load, way.peer);
          if (way.name === 'spandrel') called += turn.requests;
          seen.get(way.name)!.push(turn);
          await new Promise((done) => setTimeout(done, 300));
        }
      }
      return Object.fromEntries([...seen].map(([name, list]) => [name, medianTurn(list)]));
    };
    await warmUpAll(ways);
    const json32 = await turns(jsonBody, 32);
    const json128 = await turns(jsonBody, 128);
    const sse = await turns(sseBody, 32);
    const addedMicros = await added(ways, upstream!, rounds);
    const after = own.rssBytes();
    const onDisk = await startGateway(disk!, { SPANDREL_SPOOL_DIR: join(folder, 'spool') });
    const diskMicros = await diskCosts({ peer: own, port: gateway! }, { peer: onDisk, port: disk! }, rounds);
    return {
      diskMicros,
      json32,
      json128,
      sse,
      addedMicros,
      recorded: { called, stored: await storedSpans(join(folder, 'data')) },
      rss: { before, after },
    };
  } finally {
    for (const stop of stops.toReversed()) await stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The median of the differences between both, one turn after the other. */
async function diskCosts(
  memory: Pick<Way, 'peer' | 'port'>,
  disk: Pick<Way, 'peer' | 'port'>,
  rounds: number,
): Promise<number> {
  const turn = async ({ peer, port }: typeof disk): Promise<number> => {
    const url = `http://127.0.0.1:${port}/v1/chat/completions`;
    return (await run({ url, body: jsonBody, connections: 32, seconds: 1 }, peer)).cpuMicros;
  };
  const differences: number[] = [];
  for (let n = -2; n < rounds * DISK_TURNS; n++) {
    const first = n % 2 === 0 ? await turn(disk) : undefined;
    const without = await turn(memory);
    const difference = (first ?? (await turn(disk))) - without;
    if (n >= 0) differences.push(difference);
  }
  return median(differences);
}

/** Every JavaScript peer runs its compiled code: on a slow machine that takes some of them six seconds. */
async function warmUpAll(ways: Way[]): Promise<void> {
  for (const { port, headers, peer } of ways) {
    const url = `http://127.0.0.1:${port}/v1/chat/completions`;
    await warmUp(() => run({ url, headers, body: jsonBody, connections: 32, seconds: 2 }, peer));
    await run({ url, headers, body: sseBody, connections: 32, seconds: 1 }, peer);
  }
}

/** What each way adds to a single call, beyond the upstream's own time. */
async function added(ways: Way[], upstream: number, rounds: number): Promise<Record<string, number>> {
  const targets = [{ port: upstream, headers: {} }, ...ways].map(({ port, headers }) => ({
    url: `http://127.0.0.1:${port}/v1/chat/completions`,
    headers,
  }));
  const [direct, ...others] = await singleFile(targets, jsonBody, rounds * 300);
  return Object.fromEntries(ways.map(({ name }, index) => [name, others[index]! - direct!]));
}

/** Spans in the database once the gateway has delivered what it holds. */
async function storedSpans(dataDir: string): Promise<number> {
  let last = -1;
  for (let waited = 0; waited < 60; waited++) {
    const count = countSpans(dataDir);
    if (count === last) return count;
    last = count;
    await new Promise((done) => setTimeout(done, 1_000));
  }
  return last;
}

const nginxConfig = (folder: string, port: number, upstream: number): string => `
daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log crit;
events { worker_connections 4096; }
http {
  access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
  upstream model { server 127.0.0.1:${upstream}; keepalive 256; }
  server {
    listen 127.0.0.1:${port}; keepalive_requests 1000000;
    location / { proxy_pass http://model; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_buffering off; }
  }
}
`;
