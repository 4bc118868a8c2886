/** Callers that were answered together are waited for when they are so many at least. */
const ANSWERED_MIN = 8;

/** Which part of them has to have come back lately, so that the next ones are waited for. */
const BACK_MIN = 0.5;

/** Which part of the callers who are waited for may be missing. */
const MISSING_MAX = 0.05;

/** How much of what is known of earlier callers stays with every answer. */
const KEPT = 0.75;

/**
 * Callers that come back as soon as they are answered, over connections that they keep: most of those whom one commit
 * answers send their next request within a millisecond or two. A transaction that waits for them is larger, and costs each
 * of them less (docs/adr/0002-group-commit.md). Those who do not come back are not waited for again, and few never are.
 */
export class ReturningCallers {
  /** How many the last commit answered; none before the first. */
  private answered = 0;
  /** How many have come since. */
  private come = 0;
  /** Which part of those who were answered came back by the next commit, lately. */
  private back = 1;

  /** Somebody has come. */
  comes(): void {
    this.come++;
  }

  /** A commit answers so many. */
  answers(count: number): void {
    if (this.answered >= ANSWERED_MIN) {
      this.back = this.back * KEPT + Math.min(1, this.come / this.answered) * (1 - KEPT);
    } else {
      // Nothing was seen of many: they are tried again.
      this.back = Math.min(1, this.back + (1 - KEPT) * BACK_MIN);
    }
    this.answered = count;
    this.come = 0;
  }

  /** How many of those who were answered last are still to come, and worth waiting for. */
  get expected(): number {
    if (this.answered < ANSWERED_MIN || this.back < BACK_MIN) return 0;
    return Math.max(0, Math.ceil(this.answered * (1 - MISSING_MAX)) - this.come);
  }
}
