import { letOthersRun } from '@spandrel/kernel';

/** Milliseconds for which all masking of this thread together holds a turn of its event loop. */
const TURN_MS = 2;

/** The least that a piece of work is given, so that it gets on. */
const PIECE_MS_MIN = 1;

/** The time that masking has until others are served, whichever requests it is for. */
export class LoopTurn {
  private spent = 0;
  private isCounted = false;

  /** What is left of this turn, in milliseconds. */
  get left(): number {
    return TURN_MS - this.spent;
  }

  run<Result>(work: () => Result): Result {
    if (!this.isCounted) {
      this.isCounted = true;
      setImmediate(() => {
        this.isCounted = false;
        this.spent = 0;
      });
    }
    const began = performance.now();
    try {
      return work();
    } finally {
      this.spent += performance.now() - began;
    }
  }

  async next(): Promise<void> {
    do await letOthersRun();
    while (this.left < PIECE_MS_MIN);
  }
}
