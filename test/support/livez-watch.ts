import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/**
 * Asks a program again and again whether it lives, from a thread of its own, and says how long it was kept from
 * answering. That is measured in CPU that the program used meanwhile, where that is less than the time that went by: on a machine that
 * others use too, time goes by without the program.
 */
export class LivezWatch {
  private readonly worker: Worker;

  /** @param pid of the program that serves `baseUrl`. */
  constructor(baseUrl: string, pid: number) {
    this.worker = new Worker(WATCH, { eval: true, workerData: { url: `${baseUrl}/livez`, pid } });
    this.worker.unref();
  }

  /** The slowest answer since the last call, in milliseconds, one under way counted as far as it is; then starts over. */
  async slowestMs(): Promise<number> {
    this.worker.postMessage('take');
    const [slowest] = (await once(this.worker, 'message')) as [number];
    return Math.round(slowest);
  }

  async stop(): Promise<void> {
    await this.worker.terminate();
  }
}

const WATCH = `
const { readFileSync } = require('node:fs');
const { get } = require('node:http');
const { parentPort, workerData } = require('node:worker_threads');
const TICK_MS = 10;
// What is to be seen lasts some hundred milliseconds: to ask more often is work for the program alone.
const PAUSE_MS = 60;
const cpuMs = () => {
  try {
    const fields = readFileSync('/proc/' + workerData.pid + '/stat', 'utf8').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return Infinity;
  }
};
let slowest = 0;
let sent = performance.now();
let used = cpuMs();
const note = () => {
  const cpu = used === Infinity ? Infinity : cpuMs() - used;
  slowest = Math.max(slowest, Math.min(performance.now() - sent, cpu));
};
const ask = () => {
  sent = performance.now();
  used = cpuMs();
  const again = () => { note(); sent = Infinity; setTimeout(ask, PAUSE_MS); };
  get(workerData.url, { agent: false }, (answer) => {
    if (answer.statusCode !== 200) slowest = Infinity;
    answer.resume().on('close', again);
  }).on('error', () => { slowest = Infinity; setTimeout(ask, PAUSE_MS); });
};
ask();
parentPort.on('message', () => { note(); parentPort.postMessage(slowest); slowest = 0; });
`;
