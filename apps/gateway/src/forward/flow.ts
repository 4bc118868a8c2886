import { letOthersRun } from '@spandrel/kernel';

/** How much of one body is read before others have their turn: Node reads up to 2 MiB of a socket in one turn of the event loop. */
const TURN_BYTES = 64 * 1024;

/** When the reading of a body goes on: what it is written to takes more, and others have had their turn. */
export class Flow {
  private turnBytes = 0;
  private waitsForDrain = false;
  private waitsForTurn = false;

  /** @param resume has the body read on. */
  constructor(private readonly resume: () => void) {}

  /**
   * Some of the body has been passed on.
   * @param isTaken false when {@link drained} will say that more is taken.
   * @returns false when the body is not to be read until `resume` is called.
   */
  passed(bytes: number, isTaken: boolean): boolean {
    this.waitsForDrain = !isTaken;
    this.turnBytes += bytes;
    if (this.turnBytes >= TURN_BYTES) {
      this.turnBytes = 0;
      this.waitsForTurn = true;
      void letOthersRun().then(() => {
        this.waitsForTurn = false;
        this.goOn();
      });
    }
    return isTaken && !this.waitsForTurn;
  }

  drained(): void {
    this.waitsForDrain = false;
    this.goOn();
  }

  private goOn(): void {
    if (!this.waitsForDrain && !this.waitsForTurn) this.resume();
  }
}
