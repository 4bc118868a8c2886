import { withinMs } from '../time.js';

/** How long the outcome of the checks is good for, and how long they may take, in milliseconds. */
const OUTCOME_MS = 1_000;
const CHECK_MS_MAX = 2_000;

/** Whether this process serves requests: set once it listens, taken back when it stops (docs/spec/health.md#probes). */
export class Readiness {
  ready = false;
  private readonly checks: (() => Promise<void>)[] = [];
  private readonly onEnding: (() => void)[] = [];
  private outcome: { promise: Promise<boolean>; until: number } | undefined;

  /** Adds something that requests need. @param check throws when it cannot be used now. */
  require(check: () => Promise<void>): void {
    this.checks.push(check);
  }

  /** Calls back when this process has begun to stop: requests that come are still served then. */
  whenEnding(listener: () => void): void {
    this.onEnding.push(listener);
  }

  end(): void {
    this.ready = false;
    for (const listener of this.onEnding) listener();
  }

  /** Whether requests are served now: this process is up and what it needs can be used, as of a second ago at most. */
  async holds(): Promise<boolean> {
    if (!this.ready) return false;
    if (!this.outcome || performance.now() > this.outcome.until) {
      this.outcome = { promise: this.check(), until: performance.now() + CHECK_MS_MAX };
    }
    return (await this.outcome.promise) && this.ready;
  }

  private async check(): Promise<boolean> {
    const checks = Promise.all(this.checks.map((check) => check())).then(
      () => true,
      () => false,
    );
    const holds = await withinMs(CHECK_MS_MAX, checks, () => false);
    this.outcome = { promise: Promise.resolve(holds), until: performance.now() + OUTCOME_MS };
    return holds;
  }
}
