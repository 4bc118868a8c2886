import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePorts } from '../test/support/ports.ts';
import { median, run, warmUp, type Turn } from './load.ts';
import { startPeer, type Peer } from './process.ts';

/** Short turns, so that both servers share every mood of the machine. */
const TURN_SECONDS = 1;
const TURNS_A_ROUND = 5;
const CONNECTIONS = 64;
/** A request that reaches no database: what the log costs is seen the better the less the rest costs. */
const PATH = '/api/capabilities';

/**
 * What a line of the access log costs: two servers that differ in nothing but `access_log`, in turns, each line read by
 * the bench as a log shipper would.
 * @returns the median of the differences, in microseconds of the server's CPU a request.
 */
export async function measureAccessLog(rounds: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'spandrel-bench-'));
  const [withLog, without] = (await freePorts(2)) as [number, number];
  const peers: Peer[] = [];
  const start = async (port: number, flag: string): Promise<Peer> => {
    const dataDir = join(folder, String(port));
    const args = [resolve('dist/apps/server/src/main.js'), '--port', String(port), '--data-dir', dataDir, flag];
    const peer = await startPeer(process.execPath, args, [port]);
    peers.push(peer);
    return peer;
  };
  try {
    const logging = await start(withLog, '--access-log');
    const silent = await start(without, '--no-access-log');
    const load = (port: number, peer: Peer): Promise<Turn> =>
      run(
        {
          url: `http://127.0.0.1:${port}${PATH}`,
          method: 'GET',
          connections: CONNECTIONS,
          seconds: TURN_SECONDS,
        },
        peer,
      );
    const turn = async (port: number, peer: Peer): Promise<number> => (await load(port, peer)).cpuMicros;
    await warmUp(() => load(withLog, logging));
    await warmUp(() => load(without, silent));
    const differences: number[] = [];
    for (let n = 0; n < rounds * TURNS_A_ROUND; n++) {
      // Who goes first changes, since a machine that slows down would make the second one look dearer each time.
      const first = n % 2 === 0 ? await turn(withLog, logging) : undefined;
      const off = await turn(without, silent);
      const on = first ?? (await turn(withLog, logging));
      differences.push(on - off);
    }
    return median(differences);
  } finally {
    for (const peer of peers) await peer.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
