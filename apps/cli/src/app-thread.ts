import { Worker } from 'node:worker_threads';
import { StartError, type AppMessage, type AppOrder, type AppReady, type ProgramState } from '@spandrel/kernel/launch';
import { appEntry } from './app-entry.js';

/** One app running as a thread of this process. */
export class AppThread {
  /** Settles once the app serves. Rejects with its StartError. */
  readonly ready: Promise<AppReady>;
  /** The app has ended, and its thread cannot: its last write does not return. */
  isStuck = false;
  private readonly exited: Promise<number>;
  private readonly worker: Worker;
  /** How far the start is; one that was refused ends by itself. */
  private state: 'starting' | 'ready' | 'refused' = 'starting';

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
      () => {
        this.state = 'ready';
        void this.exited.then(onDeath);
      },
      () => (this.state = 'refused'),
    );
  }

  /** Tells the app of the rest of the program. @returns once it knows. */
  sendStatus(status: ProgramState): Promise<void> {
    const heard = new Promise<void>((resolve) => {
      this.worker.on('message', ({ type }: AppMessage) => type === 'acknowledged' && resolve());
    });
    this.order({ type: 'status', ...status });
    return heard;
  }

  /** Stops the app: in order, or at once while it starts. @returns true when it ended cleanly. */
  async stop(): Promise<boolean> {
    if (this.state === 'ready') this.order({ type: 'stop' });
    else if (this.state === 'starting') await this.worker.terminate();
    return (await this.exited) === 0;
  }

  private order(order: AppOrder): void {
    this.worker.postMessage(order);
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
