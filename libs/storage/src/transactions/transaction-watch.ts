import { Unavailable } from '@spandrel/kernel';

/** How long the work of a transaction may ask nothing of the database: half of what Postgres lets it be idle for. */
export const TRANSACTION_IDLE_MS_MAX = 30_000;

/** Sees to it that a transaction ends: one that has asked nothing for a while is given up, and may ask nothing more. */
export class TransactionWatch {
  private asked = 0;
  private underWay = 0;
  private isOver = false;

  /** Called for every statement before it is sent. @throws Error when the transaction is over. */
  ask(): void {
    if (this.isOver) throw new Error('a statement came when its transaction was over');
    this.asked++;
  }

  /** Calls {@link ask} for a statement that is answered later: meanwhile the transaction is not idle. */
  async whileAnswered<T>(send: () => Promise<T>): Promise<T> {
    this.ask();
    this.underWay++;
    try {
      return await send();
    } finally {
      this.underWay--;
      this.asked++;
    }
  }

  /** Runs the work of the transaction. @throws TransactionGivenUp when it was idle for too long. */
  async run<T>(work: () => Promise<T>, idleMs: number): Promise<T> {
    const { promise: givenUp, reject } = Promise.withResolvers<never>();
    let seen = this.asked;
    const timer = setInterval(() => {
      if (this.underWay === 0 && this.asked === seen) reject(new TransactionGivenUp(idleMs));
      seen = this.asked;
    }, idleMs);
    try {
      return await Promise.race([work(), givenUp]);
    } finally {
      clearInterval(timer);
      this.isOver = true;
    }
  }
}

/** A transaction was rolled back because its work did not go on. Anyone who asked for it may ask again. */
export class TransactionGivenUp extends Unavailable {
  constructor(idleMs: number) {
    super(`the change was given up: its transaction had asked nothing of the database for ${idleMs} ms`);
  }
}

/**
 * Thrown by work that would have to lock rows out of their order, as another instance committed meanwhile (Postgres):
 * the transaction is rolled back and begun again.
 */
export class BeginAgain extends Error {
  override readonly name = 'BeginAgain';
  /** SQLSTATE of a serialization failure. */
  readonly code = '40001';
}
