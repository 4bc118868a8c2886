/**
 * `npm run soak`: an hour of writes and reads at half of the top rate, against the built program on SQLite, which is killed
 * with `kill -9` every five minutes; docs/reliability.md says what is shown. Not part of the tests.
 *
 * `--minutes=60` how long, `--rate=0.5` the part of the top rate, `--kill-every=5` minutes between kills,
 * `--top-seconds=45` for the top rate, `--operations=N` operations a second instead of looking for it, `--dir=DIR` where the
 * database lies (a folder of the system's for temporary files), `--json=FILE` all figures as JSON.
 */
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePorts } from '../../test/support/ports.ts';
import { sendRequest } from '../../test/support/send-request.ts';
import { busyReason, describePresence } from '../machine.ts';
import { MachineWatch } from '../machine-watch.ts';
import { heading, row } from '../report.ts';
import { verdictOf } from '../verdict.ts';
import { Acknowledged, type Findings } from './acknowledged.ts';
import { SoakListener } from './soak-listener.ts';
import { SoakLoad } from './soak-load.ts';
import { integrityOf, SoakServer } from './soak-server.ts';
import { describeFindings, printHead, printMinute } from './soak-report.ts';
import { goalsOf, type Minute } from './soak-verdict.ts';
import { findStored } from './stored-spans.ts';

const valueOf = (flag: string): string | undefined =>
  process.argv.find((arg) => arg.startsWith(`--${flag}=`))?.slice(flag.length + 3);
const numberOf = (flag: string, otherwise: number): number => {
  const value = Number(valueOf(flag) ?? otherwise);
  if (!(value > 0)) throw new Error(`--${flag} must be a number above 0`);
  return value;
};

const MINUTE_MS = 60_000;
const WARM_UP_MS = 10_000;
/** Spans that started so long before the last look are looked at again, since clients set some of the times. */
const OVERLAP_MS = 10_000;
/** Less space than this, and the soak ends early. */
const FREE_BYTES_MIN = 4 * 1024 ** 3;
const SETTLE_MS_MAX = 60_000;

const minutes = numberOf('minutes', 60);
/** A line a minute, or twelve in a short soak. */
const lookEvery = Math.min(1, minutes / 12);
const killEvery = numberOf('kill-every', 5);
const folder = mkdtempSync(join(valueOf('dir') ?? tmpdir(), 'spandrel-soak-'));
process.once('SIGINT', () => process.exit(130));
process.once('SIGTERM', () => process.exit(143));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

const top = valueOf('operations') === undefined ? await topRate(numberOf('top-seconds', 45)) : undefined;
const perSecond = top === undefined ? numberOf('operations', 1) : top * numberOf('rate', 0.5);
heading(
  `Soak of ${minutes} minutes at ${perSecond.toFixed(0)} operations/s` +
    `${top === undefined ? '' : ` (top rate ${top.toFixed(0)})`}, kill -9 every ${killEvery} minutes, in ${folder}`,
);
await soak();

/** Operations a second that 64 clients reach who wait for nothing but their answers. */
async function topRate(seconds: number): Promise<number> {
  const dataDir = join(folder, 'top');
  const server = await newServer(dataDir);
  const load = new SoakLoad(server.url, new Acknowledged(), Infinity);
  try {
    load.start();
    await sleep(Math.min(WARM_UP_MS, seconds * 250));
    const [from, began] = [load.operations, performance.now()];
    await sleep(seconds * 1_000);
    const rate = (load.operations - from) / ((performance.now() - began) / 1_000);
    await load.stop();
    const { firstError } = load.takeSeen();
    if (firstError !== undefined) throw new Error(`the top rate could not be measured: ${firstError}`);
    return rate;
  } finally {
    await server.end('SIGKILL');
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function newServer(dataDir: string): Promise<SoakServer> {
  const [port, gatewayPort] = (await freePorts(2)) as [number, number];
  const server = new SoakServer(dataDir, port, gatewayPort);
  process.once('exit', () => void server.end('SIGKILL'));
  await server.start();
  return server;
}

async function soak(): Promise<void> {
  const dataDir = join(folder, 'data');
  const server = await newServer(dataDir);
  const acknowledged = new Acknowledged();
  const listener = new SoakListener(server.url);
  const load = new SoakLoad(server.url, acknowledged, perSecond);
  const watch = new MachineWatch();
  const seen: Minute[] = [];
  const findings: Findings[] = [];
  const firstErrors: string[] = [];
  const began = Date.now();
  const at = (): number => (Date.now() - began) / MINUTE_MS;
  let [loadedMs, checkedAt, checkedFrom] = [0, began, 0];

  const look = async (): Promise<void> => {
    const { millis, requests, errors, firstError } = load.takeSeen();
    if (firstError !== undefined) firstErrors.push(firstError);
    const sorted = millis.sort((a, b) => a - b);
    const part = (of: number): number => sorted[Math.floor(sorted.length * of)] ?? Number.NaN;
    const figures = { p50: part(0.5), p99: part(0.99), requestsPerSecond: requests / (loadedMs / 1_000), errors };
    const minute = { at: at(), ...(await server.taken()), ...figures, spans: acknowledged.count };
    loadedMs = 0;
    seen.push(minute);
    printMinute(minute);
  };
  const kill = async (): Promise<void> => {
    load.expectTheEnd();
    await server.end('SIGKILL');
    await load.stop();
    const startMs = await server.start();
    const stamp = Date.now();
    const found = await findStored(server.url, acknowledged, checkedAt - OVERLAP_MS, checkedFrom);
    findings.push(found);
    [checkedAt, checkedFrom] = [stamp, acknowledged.count];
    row(
      `  kill -9, ready in ${(startMs / 1_000).toFixed(1)} s`,
      `${found.expected} acknowledged, ${describeFindings(found)}`,
    );
  };

  printHead();
  for (let [nextLook, nextKill] = [lookEvery, killEvery]; at() < minutes;) {
    load.start();
    const stepBegan = Date.now();
    const until = Math.min(nextLook, nextKill, minutes);
    while (at() < until && !server.hasEnded) await sleep(Math.min(500, Math.max(1, (until - at()) * MINUTE_MS)));
    if (server.hasEnded) throw new Error('the server ended by itself');
    loadedMs += Date.now() - stepBegan;
    const { bavail, bsize } = statfsSync(folder);
    const isFull = bavail * bsize < FREE_BYTES_MIN;
    if (at() >= nextLook || isFull) {
      await look();
      nextLook = at() + lookEvery;
    }
    if (at() >= nextKill && at() < minutes) {
      await kill();
      nextKill = at() + killEvery;
    } else {
      await load.stop();
    }
    if (isFull) {
      row('ended early: the disk has less than 4 GiB left');
      break;
    }
  }
  await kill();
  const whole = await findStored(server.url, acknowledged, 0, 0);
  findings.push(whole);
  row('  all spans at the end', `${whole.expected} acknowledged, ${describeFindings(whole)}`);
  const stats = await sendRequest(`${server.url}/api/stats`, { method: 'GET', headers: {} });
  const countsApart = (JSON.parse(stats.text) as { span_count: number }).span_count - whole.listed;
  await settled(listener, acknowledged);
  listener.close();
  const exitCode = await server.end('SIGTERM');
  const presence = watch.stop();
  const outcome = {
    findings,
    eventFaults: listener.faults,
    eventsMissing: Math.max(0, acknowledged.changes - listener.events),
    integrity: integrityOf(dataDir),
    countsApart,
  };
  heading('The machine');
  row('meanwhile', describePresence(presence));
  heading('Verdict');
  row('stopped in order', exitCode === 0 ? 'yes' : `no, exit code ${exitCode}`);
  const busy = busyReason(presence);
  const goals = goalsOf(seen, outcome).map((goal) => ({ ...goal, verdict: verdictOf(goal, busy) }));
  for (const { name, figure, bound, limit, verdict } of goals) {
    row(name.padEnd(46), figure === undefined ? '-' : figure.toFixed(2), `${bound} ${limit}`, `  ${verdict}`);
  }
  for (const error of firstErrors) row('error', error);
  const json = valueOf('json');
  const all = { top, perSecond, minutes: seen, outcome, exitCode, presence, goals, firstErrors };
  if (json !== undefined) writeFileSync(json, `${JSON.stringify(all, null, 2)}\n`);
  process.exitCode = exitCode === 0 && goals.every(({ verdict }) => verdict !== 'not met') ? 0 : 1;
}

/** Waits until every acknowledged change has been reported. */
async function settled(listener: SoakListener, acknowledged: Acknowledged): Promise<void> {
  const deadline = Date.now() + SETTLE_MS_MAX;
  while (listener.events < acknowledged.changes && Date.now() < deadline) await sleep(100);
}
