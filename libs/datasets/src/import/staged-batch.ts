import { setImmediate as nextTurn } from 'node:timers/promises';
import type { StagedDatapoint, StagedImport } from './staged-import.js';

/** Datapoints that one transaction writes: one statement on Postgres, a few milliseconds of the event loop on SQLite. */
const DATAPOINTS_AT_ONCE = 256;
/** Text of datapoints that one transaction writes, in UTF-16 units, about. */
const TEXT_AT_ONCE = 1024 * 1024;

/** Datapoints on their way into a staged import, written as many at a time as a transaction takes; others write in between. */
export class StagedBatch {
  private waiting: StagedDatapoint[] = [];
  private text = 0;

  /** @param stop ends it: nothing is written once it has fired. */
  constructor(
    private readonly staged: Pick<StagedImport, 'add'>,
    private readonly stop: AbortSignal,
  ) {}

  /** Whether those that wait are enough to be written. */
  get isFull(): boolean {
    return this.waiting.length >= DATAPOINTS_AT_ONCE || this.text >= TEXT_AT_ONCE;
  }

  put(datapoint: StagedDatapoint): void {
    this.waiting.push(datapoint);
    this.text += datapoint.kind.length;
  }

  /** Writes those that wait. @throws what `stop` fired with, and like {@link StagedImport.add}. */
  async flush(): Promise<void> {
    this.stop.throwIfAborted();
    if (this.waiting.length > 0) await this.staged.add(this.waiting);
    this.waiting = [];
    this.text = 0;
    await nextTurn();
  }
}
