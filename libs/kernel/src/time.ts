import { setTimeout as afterMs, setImmediate as nextTurn } from 'node:timers/promises';

/** Waits for `work` for a limited time. @param late gives or throws what comes in its place then; the work goes on. */
export async function withinMs<T, Late = T>(
  ms: number,
  work: Promise<T>,
  late: () => Late | Promise<Late>,
): Promise<T | Late> {
  const { promise: timeIsOver, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  try {
    return await Promise.race([work, timeIsOver.then(late)]);
  } finally {
    clearTimeout(timer);
  }
}

/** Waits for a while, or until the signal fires. Never rejects, and does not keep the process alive. */
export async function pauseUnlessStopped(ms: number, stopped: AbortSignal): Promise<void> {
  await afterMs(ms, undefined, { ref: false, signal: stopped }).catch(() => undefined);
}

/** Milliseconds until the next try: doubled each time, up to half less at random. @param failures in a row, from 1. */
export const backoff = (failures: number, firstMs: number, maxMs: number): number =>
  Math.min(maxMs, firstMs * 2 ** Math.min(failures - 1, 30)) * (0.5 + Math.random() / 2);

/** Gives milliseconds since the epoch, as `Date` does. */
export type Clock = Pick<DateConstructor, 'now'>;

/** Milliseconds for which work holds the event loop; after that others have their turn. */
const TURN_MS = 1;

/** Turns of the event loop that a small request needs until it is answered: it would wait for as many slices otherwise. */
const TURNS_OF_OTHERS = 4;

/** The time that long work has until others are served. */
export class Turn {
  private began = performance.now();

  /** Called after every piece of work. @returns whether {@link next} is to be awaited. */
  isOver(): boolean {
    return performance.now() - this.began >= TURN_MS;
  }

  /** Lets others have their turn. */
  async next(): Promise<void> {
    await letOthersRun();
    this.began = performance.now();
  }
}

/** Does work that stops between its pieces; others have their turn when it takes long. @throws what the work throws. */
export async function inTurns<Result>(work: Iterator<void, Result>): Promise<Result> {
  let began = performance.now();
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
    if (performance.now() - began < TURN_MS) continue;
    await letOthersRun();
    began = performance.now();
  }
}

/** Lets small requests that have come meanwhile be answered. */
export async function letOthersRun(): Promise<void> {
  for (let turn = 0; turn < TURNS_OF_OTHERS; turn++) await nextTurn();
}

/** Does work that stops between its pieces without a stop. @throws what the work throws. */
export function atOnce<Result>(work: Iterator<void, Result>): Result {
  for (;;) {
    const { done, value } = work.next();
    if (done) return value;
  }
}
