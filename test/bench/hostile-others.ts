/** Sends small calls to one address from a thread of its own, one every few milliseconds, and tells how long they took. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

const PAUSE_MS = 4;

/** A call that others make meanwhile. */
export interface SmallCall {
  url: string;
  body: string;
}

/** What others get of a program while something else is done to it. */
export class Others {
  private readonly worker: Worker;

  constructor(call: SmallCall) {
    this.worker = new Worker(SENDER, { eval: true, workerData: { ...call, pauseMs: PAUSE_MS } });
    this.worker.unref();
  }

  /** Milliseconds that each call took since the last time. */
  async take(): Promise<number[]> {
    this.worker.postMessage('take');
    const [millis] = (await once(this.worker, 'message')) as [number[]];
    return millis;
  }

  async stop(): Promise<void> {
    await this.worker.terminate();
  }
}

const SENDER = `
const { Agent, request } = require('node:http');
const { parentPort, workerData } = require('node:worker_threads');
const agent = new Agent({ keepAlive: true });
let millis = [];
const call = () => {
  const began = performance.now();
  const again = () => { millis.push(performance.now() - began); setTimeout(call, workerData.pauseMs); };
  const sent = request(workerData.url, { method: 'POST', agent, headers: { 'content-type': 'application/json' } }, (answer) => {
    answer.resume().on('close', again);
  });
  sent.on('error', again);
  sent.end(workerData.body);
};
call();
parentPort.on('message', () => { parentPort.postMessage(millis); millis = []; });
`;
