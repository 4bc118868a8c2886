import type { OpenConnection } from '@spandrel/connections';
import { type ChatCall, untilAborted } from '@spandrel/plugin-api';

/** Longest that an answer's `Retry-After` holds up other calls, in ms. */
const WAIT_MS_MAX = 60_000;

/** Which call was begun when: a call that was under way as the pace fell says nothing of the new pace. */
export type Begun = number;

/**
 * How fast the calls of a run for one connection follow each other (docs/spec/evaluations.md#providers-that-limit-calls).
 * After an answer 429 no call begins until the retry of the refused one is answered and `Retry-After` is over, and half as
 * many go on at once; one more after as many successes as go on at once.
 */
export class CallPace {
  /** Calls at once; `Infinity` while nothing slows them. */
  private limit = Infinity;
  private underWay = 0;
  private successes = 0;
  private holds = 0;
  private falls = 0;
  private changed = Promise.withResolvers<void>();

  /** @param concurrency how many calls the run makes at once when nothing slows it. */
  constructor(private readonly concurrency: number) {}

  get isHeld(): boolean {
    return this.holds > 0;
  }

  /** Begins a call once it may. @throws the reason of `signal` when that fires. */
  async enter(signal: AbortSignal): Promise<Begun> {
    while (this.isHeld || this.underWay >= this.limit) await untilAborted(signal, () => this.changed.promise);
    return this.reenter();
  }

  /** Begins the retry of a call, whose time is fixed. */
  reenter(): Begun {
    this.underWay++;
    return this.falls;
  }

  /** Ends a call. */
  leave(): void {
    this.underWay--;
    this.notify();
  }

  noteSuccess(): void {
    if (this.limit === Infinity || ++this.successes < this.limit) return;
    this.successes = 0;
    this.limit = this.limit + 1 < this.concurrency ? this.limit + 1 : Infinity;
    this.notify();
  }

  /** Slows what follows a call that was answered 429. @param retryAfterMs what the answer asks for. */
  slow(begun: Begun, retryAfterMs = 0): void {
    if (begun === this.falls) {
      this.falls++;
      this.successes = 0;
      this.limit = Math.max(1, Math.floor(Math.min(this.limit, this.concurrency) / 2));
    }
    if (retryAfterMs > 0) setTimeout(this.hold(), Math.min(retryAfterMs, WAIT_MS_MAX)).unref();
  }

  /** Lets no call begin. @returns what ends that. */
  hold(): () => void {
    this.holds++;
    return () => {
      this.holds--;
      this.notify();
    };
  }

  private notify(): void {
    this.changed.resolve();
    this.changed = Promise.withResolvers();
  }
}

/** How calls are changed for a model that does not take them as they are. */
export interface Adaptation {
  /** Whether a temperature that the run did not ask for is left out. */
  leavesOutTemperature?: boolean;
  /** What limits the answer's length where the run does not say. */
  maxTokensMember?: ChatCall['maxTokensMember'];
  /** Whether an answer is not asked for by a schema. */
  leavesOutSchema?: boolean;
}

/** What the calls of one run share: how fast they go on, and what its models were seen not to take. */
export class RunCalls {
  private readonly paces = new Map<string, CallPace>();
  private readonly adaptations = new Map<string, Adaptation>();

  /** @param concurrency how many calls the run makes at once. */
  constructor(private readonly concurrency = Infinity) {}

  paceOf({ id }: Pick<OpenConnection, 'id'>): CallPace {
    let pace = this.paces.get(id);
    if (pace === undefined) this.paces.set(id, (pace = new CallPace(this.concurrency)));
    return pace;
  }

  /** What {@link noteAdaptation} noted for a model. */
  adaptationFor(connection: Pick<OpenConnection, 'id'>, model: string): Adaptation {
    return this.adaptations.get(nameOf(connection, model)) ?? {};
  }

  /** Remembers how a model takes calls, for those that follow. */
  noteAdaptation(connection: Pick<OpenConnection, 'id'>, model: string, adaptation: Adaptation): void {
    this.adaptations.set(nameOf(connection, model), { ...this.adaptationFor(connection, model), ...adaptation });
  }
}

const nameOf = ({ id }: Pick<OpenConnection, 'id'>, model: string): string => `${id}\0${model}`;
