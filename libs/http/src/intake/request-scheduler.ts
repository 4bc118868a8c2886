import type { Server } from 'node:http';

/** Milliseconds of one turn of the event loop that requests may begin in; those that come later begin in the next. */
const TURN_MS = 5;

/** Milliseconds that requests wait at most so that new connections are taken first. */
const ACCEPTING_MS_MAX = 20;

/**
 * Keeps the turns of the event loop short when far too many requests come at once. Node takes one new connection a
 * turn: while 500 clients connected, `/livez` waited for 3.5 s, and 0.1 s like this. So requests begin for {@link
 * TURN_MS} a turn, and while connections keep coming they wait, {@link ACCEPTING_MS_MAX} at a time.
 */
export class RequestScheduler {
  private readonly waiting: (() => void)[] = [];
  /** When this turn's first request began, on the clock of `performance.now()`; `undefined` before. */
  private turnBegan: number | undefined;
  private accepted = false;
  /** The moment since when requests wait for connections. */
  private acceptingSince: number | undefined;
  private scheduled = false;

  constructor(server: Pick<Server, 'on'>) {
    server.on('connection', () => {
      this.accepted = true;
      this.schedule();
    });
  }

  /** Begins a request when a turn has time for it, in order. @param isInLine whether its answer waits: never at once. */
  begin(request: () => void, isInLine = false): void {
    this.schedule();
    if (isInLine || this.waiting.length > 0 || this.accepted || this.isOver()) this.waiting.push(request);
    else request();
  }

  private isOver(): boolean {
    const now = performance.now();
    this.turnBegan ??= now;
    return now - this.turnBegan > TURN_MS;
  }

  private schedule(): void {
    if (this.scheduled) return;
    this.scheduled = true;
    setImmediate(() => void this.turn());
  }

  private async turn(): Promise<void> {
    this.turnBegan = undefined;
    if (this.accepted) {
      this.accepted = false;
      const now = performance.now();
      this.acceptingSince ??= now;
      if (this.waiting.length > 0 && now - this.acceptingSince < ACCEPTING_MS_MAX) {
        setImmediate(() => void this.turn());
        return;
      }
    }
    this.acceptingSince = undefined;
    while (this.waiting.length > 0 && !this.isOver()) {
      this.waiting.shift()!();
      // A handler goes on in microtasks: they run before the next request begins, so that the time they take is seen.
      await undefined;
    }
    this.scheduled = false;
    if (this.waiting.length > 0) this.schedule();
  }
}
