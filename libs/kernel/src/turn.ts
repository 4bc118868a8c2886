import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Milliseconds for which work holds the event loop; after that others have their turn. A small request needs three or four
 * turns until it is answered, and waits for as many slices of anyone who works.
 */
const TURN_MS = 1;

/** A look at the clock costs as much as a small piece of work: pieces between two looks. */
const PIECES_A_LOOK = 4;

/** The time that long work has until others are served. */
export class Turn {
  private began = performance.now();
  private pieces = 0;

  /** Called after every piece of work. @returns whether {@link next} is to be awaited. */
  isOver(): boolean {
    return ++this.pieces % PIECES_A_LOOK === 0 && performance.now() - this.began >= TURN_MS;
  }

  /** Lets others have their turn. */
  async next(): Promise<void> {
    await nextTurn();
    this.began = performance.now();
  }
}

/**
 * Does work that stops between its pieces, and lets others have their turn whenever it has taken long.
 * @throws what the work throws.
 */
export async function inTurns<Result>(work: Iterator<void, Result>): Promise<Result> {
  let began = performance.now();
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    if (performance.now() - began < TURN_MS) continue;
    await nextTurn();
    began = performance.now();
  }
}

/** Does work that stops between its pieces without a stop. @throws what the work throws. */
export function atOnce<Result>(work: Iterator<void, Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}
