/** Sends small calls to one address from a thread of its own, one every few milliseconds, and says how long they took. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const PAUSE_MS = 4;

/** A call that others make meanwhile. */
export interface SmallCall {
  url: string;
  body: string;
  /** The processes that answer it. */
  pids: readonly number[];
}

/** How long the calls took, in milliseconds. */
export interface Waited {
  /** What the caller sees. */
  millis: number[];
  /**
   * Without the time for which the main threads of the processes, or the caller, could run and had no core: on a machine
   * that others use too, what the program itself made them wait.
   */
  withCore: number[];
}

/** What others get of a program while something else is done to it. */
export class Others {
  private readonly worker: Worker;

  constructor(call: SmallCall) {
    this.worker = new Worker(SENDER, { eval: true, workerData: { ...call, pauseMs: PAUSE_MS }, execArgv: [] });
    this.worker.unref();
  }

  /** What they waited since the last time. */
  async take(): Promise<Waited> {
    this.worker.postMessage('take');
    const [waited] = (await once(this.worker, 'message')) as [Waited];
    return waited;
  }

  async stop(): Promise<void> {
    await this.worker.terminate();
  }
}

const SENDER = `
const { openSync, readSync } = require('node:fs');
const { Agent, request } = require('node:http');
const { parentPort, workerData } = require('node:worker_threads');
const agent = new Agent({ keepAlive: true });
const bytes = Buffer.alloc(64);
const files = ['/proc/thread-self/schedstat', ...workerData.pids.map((pid) => '/proc/' + pid + '/task/' + pid + '/schedstat')]
  .map((path) => openSync(path, 'r'));
const queuedMs = () => files.reduce((sum, file) => {
  try {
    return sum + Number(bytes.latin1Slice(0, readSync(file, bytes, 0, 64, 0)).split(' ')[1]) / 1e6;
  } catch {
    return sum;
  }
}, 0);
let waited = { millis: [], withCore: [] };
const call = () => {
  const queued = queuedMs();
  const began = performance.now();
  const again = () => {
    const took = performance.now() - began;
    waited.millis.push(took);
    waited.withCore.push(Math.max(0, took - (queuedMs() - queued)));
    setTimeout(call, workerData.pauseMs);
  };
  const sent = request(workerData.url, { method: 'POST', agent, headers: { 'content-type': 'application/json' } }, (answer) => {
    answer.resume().on('close', again);
  });
  sent.on('error', again);
  sent.end(workerData.body);
};
call();
parentPort.on('message', () => { parentPort.postMessage(waited); waited = { millis: [], withCore: [] }; });
`;
