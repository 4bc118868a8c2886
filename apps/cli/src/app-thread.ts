import { Worker } from 'node:worker_threads';
import { STOP_MESSAGE, StartError, type AppMessage, type AppReady, type HostMessage } from '@spandrel/kernel/launch';
import { appEntry } from './app-entry.js';

/** One app running as a thread of this process. */
export class AppThread {
  /** Settles once the app serves. Rejects with its StartError. */
  readonly ready: Promise<AppReady>;
  /** The app has ended, and its thread cannot: its last write does not return. */
  isStuck = false;
  private readonly exited: Promise<number>;
  private readonly worker: Worker;

  /** @param onDeath called when the app ends without having been told to, after it was ready. */
  constructor(
    private readonly app: 'server' | 'gateway',
    args: readonly string[],
    env: NodeJS.ProcessEnv,
    onDeath: () => void,
  ) {
    this.worker = new Worker(appEntry(app), { argv: [...args], env });
    this.exited = new Promise((resolve) => {
      this.worker.once('exit', resolve);
      this.worker.on('message', (message: AppMessage) => {
        if (message.type !== 'stuck') return;
        this.isStuck = true;
        resolve(message.exitCode);
      });
    });
    this.ready = this.awaitReady();
    this.ready.then(
      () => void this.exited.then(onDeath),
      () => undefined,
    );
  }

  tell(message: HostMessage): void {
    this.worker.postMessage(message);
  }

  /** Stops the app in order. @returns true when it ended cleanly. */
  async stop(): Promise<boolean> {
    this.tell(STOP_MESSAGE);
    return (await this.exited) === 0;
  }

  private awaitReady(): Promise<AppReady> {
    return new Promise((resolve, reject) => {
      const refuse = (faults: readonly string[]) =>
        reject(new StartError(faults.map((fault) => `${this.app}: ${fault}`)));
      this.worker.on('message', (message: AppMessage) => {
        if (message.type === 'ready') resolve(message);
        else if (message.type === 'refused') refuse(message.faults);
      });
      this.worker.on('error', (error: Error) => {
        process.stderr.write(`spandrel: ${this.app}: ${error.stack ?? error.message}\n`);
        refuse(['ended with an error']);
      });
      void this.exited.then((code) => refuse([`ended with code ${code}`]));
    });
  }
}
