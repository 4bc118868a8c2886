import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Database from 'better-sqlite3';
import { sendRequest } from '../../test/support/send-request.ts';

const START_MS_MAX = 120_000;
const LOOK_MS = 20;

/** What the server takes of the machine, in bytes and pieces. */
export interface Taken {
  rss: number;
  heap: number;
  database: number;
  wal: number;
  eventRows: number | undefined;
  descriptors: number;
}

/** The built program as `npm start` runs it, on SQLite; it is killed and started again. */
export class SoakServer {
  readonly url: string;
  private readonly dataDir: string;
  private readonly ports: readonly string[];
  private child: ChildProcess | undefined;
  private errors = '';

  constructor(dataDir: string, port: number, gatewayPort: number) {
    this.dataDir = dataDir;
    this.ports = ['--port', String(port), '--gateway-port', String(gatewayPort)];
    this.url = `http://127.0.0.1:${port}`;
  }

  /** Starts it and waits until it serves. @returns how many milliseconds that took. */
  async start(): Promise<number> {
    const began = performance.now();
    const args = [resolve('bin/spandrel.cjs'), 'serve', ...this.ports, '--data-dir', this.dataDir];
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    this.child = child;
    child.stderr.setEncoding('utf8').on('data', (text: string) => (this.errors = (this.errors + text).slice(-4_000)));
    while (!(await this.isReady())) {
      if (child.exitCode !== null || performance.now() - began > START_MS_MAX)
        throw new Error(`the server did not start: ${this.errors}`);
      await sleep(LOOK_MS);
    }
    return performance.now() - began;
  }

  /** Sends a signal and waits for the end. @returns the exit code, `null` when the signal ended it. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
    const exited = once(child, 'exit') as Promise<[number | null]>;
    child.kill(signal);
    const [code] = await exited;
    return code;
  }

  /** Whether it ended although nobody asked for it. */
  get hasEnded(): boolean {
    return this.child?.exitCode != null;
  }

  async taken(): Promise<Taken> {
    const pid = this.child!.pid!;
    const file = join(this.dataDir, 'spandrel.db');
    const { text } = await sendRequest(`${this.url}/metrics`, { method: 'GET', headers: {} });
    const rss = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return {
      rss: Number(rss) * 1024,
      heap: Number(/^nodejs_heap_size_used_bytes(?:\{.*\})? (\S+)$/m.exec(text)?.[1] ?? Number.NaN),
      database: statSync(file).size,
      wal: statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0,
      eventRows: eventRowsOf(file),
      descriptors: readdirSync(`/proc/${pid}/fd`).length,
    };
  }

  private isReady(): Promise<boolean> {
    return sendRequest(`${this.url}/readyz`, { method: 'GET', headers: {} }).then(
      ({ status }) => status === 200,
      () => false,
    );
  }
}

/** Rows of the event log, which no route reports. */
function eventRowsOf(file: string): number | undefined {
  const db = new Database(file, { readonly: true });
  try {
    const table = db.prepare("select name from sqlite_master where type = 'table' and name = 'event_log'").get();
    if (table === undefined) return undefined;
    return (db.prepare('select count(*) as n from event_log').get() as { n: number }).n;
  } finally {
    db.close();
  }
}

/** What SQLite finds in the file once the server has ended: `ok`. */
export function integrityOf(dataDir: string): string {
  const db = new Database(join(dataDir, 'spandrel.db'), { readonly: true });
  try {
    return String(db.pragma('quick_check', { simple: true }));
  } finally {
    db.close();
  }
}
