import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { connect } from 'node:net';

/** A peer of the bench: a process of its own, so that its CPU can be distinguished from everybody else's. */
export interface Peer {
  /** CPU time used so far by the process and its children, in microseconds. */
  cpuMicros(): number;
  /** Resident memory, in bytes. */
  rssBytes(): number;
  stop(): Promise<void>;
}

const CLOCK_TICK_MICROS = 10_000;

/**
 * Starts a program and waits until it listens.
 * @param ports all must be open before it counts as started.
 * @param patienceMs how long it may take.
 */
export async function startPeer(
  command: string,
  args: string[],
  ports: number[],
  env: Record<string, string> = {},
  patienceMs = 20_000,
): Promise<Peer> {
  const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'ignore', 'pipe'] });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (errors = (errors + text).slice(-4_000)));
  const deadline = Date.now() + patienceMs;
  for (const port of ports) {
    while (!(await listens(port))) {
      if (child.exitCode !== null || Date.now() > deadline)
        throw new Error(`${command} ${args.join(' ')} did not start: ${errors}`);
      await new Promise((done) => setTimeout(done, 20));
    }
  }
  return {
    cpuMicros: () => familyOf(child.pid!).reduce((sum, pid) => sum + cpuMicrosOf(pid), 0),
    rssBytes: () => familyOf(child.pid!).reduce((sum, pid) => sum + rssBytesOf(pid), 0),
    stop: () => stop(child),
  };
}

function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return Promise.resolve();
  const exited = new Promise<void>((done) => child.once('exit', () => done()));
  child.kill('SIGTERM');
  const killer = setTimeout(() => child.kill('SIGKILL'), 10_000);
  return exited.finally(() => clearTimeout(killer));
}

function listens(port: number): Promise<boolean> {
  return new Promise((done) => {
    const socket = connect(port, '127.0.0.1', () => (socket.destroy(), done(true)));
    socket.on('error', () => done(false));
  });
}

/** A process and its direct children (nginx works in them). */
function familyOf(pid: number): number[] {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) => {
    try {
      return readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' ').filter(Boolean).map(Number);
    } catch {
      return [];
    }
  });
  return [pid, ...children];
}

function cpuMicrosOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return (Number(fields[11]) + Number(fields[12])) * CLOCK_TICK_MICROS;
  } catch {
    return 0;
  }
}

function rssBytesOf(pid: number): number {
  const line = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1] ?? 0) * 1024;
}
