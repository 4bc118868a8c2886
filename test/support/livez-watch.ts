import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** Asks a URL again and again from a thread of its own, whatever the test's own event loop does. */
export class LivezWatch {
  private readonly worker: Worker;

  /** @param path answered 200 without work, such as `/livez`. */
  constructor(baseUrl: string, path = '/livez') {
    this.worker = new Worker(WATCH, { eval: true, workerData: { url: baseUrl + path } });
    this.worker.unref();
  }

  /** The slowest answer since the last call, in milliseconds, one under way counted as far as it is; then starts anew. */
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
const { get } = require('node:http');
const { parentPort, workerData } = require('node:worker_threads');
let slowest = 0;
let sent = performance.now();
const note = () => { slowest = Math.max(slowest, performance.now() - sent); };
const ask = () => {
  sent = performance.now();
  const again = () => { note(); sent = Infinity; setTimeout(ask, 10); };
  get(workerData.url, { agent: false }, (answer) => {
    if (answer.statusCode !== 200) slowest = Infinity;
    answer.resume().on('close', again);
  }).on('error', () => { slowest = Infinity; setTimeout(ask, 10); });
};
ask();
parentPort.on('message', () => { note(); parentPort.postMessage(slowest); slowest = 0; });
`;
