/** How far a span got by what the server answered. */
const SENT = 0;
const CREATED = 1;
const COMPLETED = 2;

/** What a look at all stored spans showed. */
export interface Findings {
  /** Acknowledged and not there. */
  lost: number;
  /** There, but still running although its end was acknowledged. */
  unfinished: number;
  /** Listed more than once. */
  doubled: number;
  /** Listed although never sent. */
  unknown: number;
  /** Acknowledged spans that were looked for. */
  expected: number;
}

/** Every write of the soak that was acknowledged, a byte a span: there are millions. */
export class Acknowledged {
  private states = new Uint8Array(1 << 16);
  private sent = 0;
  /** Changes that were acknowledged: each made an event. */
  changes = 0;

  /** Spans sent so far; the number of the next one. */
  get count(): number {
    return this.sent;
  }

  /** Numbers of new spans. @returns the first. */
  take(count: number): number {
    const first = this.sent;
    this.sent += count;
    if (this.sent > this.states.length) {
      const grown = new Uint8Array(Math.max(this.sent, this.states.length * 2));
      grown.set(this.states);
      this.states = grown;
    }
    return first;
  }

  created(n: number): void {
    this.states[n] = CREATED;
    this.changes++;
  }

  completed(n: number): void {
    this.changes += this.states[n] === SENT ? 2 : 1;
    this.states[n] = COMPLETED;
  }

  /**
   * Compares a list of stored spans with what was acknowledged. Spans that were sent and not acknowledged may be there or not.
   * @param from number of the first span that must be in the list; what is listed of earlier ones is left out.
   */
  look(from: number): Look {
    return new Look(this.states.subarray(0, this.sent), from);
  }
}

/** One list of stored spans, held against what was acknowledged. */
class Look {
  private readonly states: Uint8Array;
  private readonly from: number;
  private readonly seen: Uint8Array;
  private unfinished = 0;
  private doubled = 0;
  private unknown = 0;

  constructor(states: Uint8Array, from: number) {
    this.states = states;
    this.from = from;
    this.seen = new Uint8Array(states.length);
  }

  /** A span that is stored. @param n its number, `NaN` for one that nobody sent. */
  see(n: number, isFinished: boolean): void {
    if (!(n < this.states.length)) {
      this.unknown++;
      return;
    }
    if (n < this.from) return;
    if (this.seen[n] === 1) this.doubled++;
    this.seen[n] = 1;
    if (this.states[n] === COMPLETED && !isFinished) this.unfinished++;
  }

  end(): Findings {
    let [lost, expected] = [0, 0];
    for (let n = this.from; n < this.states.length; n++) {
      if (this.states[n] === SENT) continue;
      expected++;
      if (this.seen[n] !== 1) lost++;
    }
    const { unfinished, doubled, unknown } = this;
    return { lost, unfinished, doubled, unknown, expected };
  }
}
