import type { SqlEntityManager } from '@mikro-orm/sql';
import { Unavailable } from '@spandrel/kernel';
import type { Query } from '../statements/row-shape.js';
import type { Dialect, Sql } from '../statements/sql.js';
import type { Table } from '../statements/table.js';

export interface Reader {
  readonly dialect: Dialect;

  /** Rows of a query; integers are numbers. A transaction sees what it has written, as far as its `em` is flushed. */
  all<Row>(query: Query<Row>): Promise<Row[]>;
}

/** An open transaction. It ends when the function it was handed to returns or throws; it must not be kept. */
export interface WriteTx extends Reader {
  run(statement: Sql): Promise<number>;

  insert<Row>(table: Table<Row>, rows: readonly Row[]): Promise<void>;

  /** Writes rows that exist, whole rows given. @param changed what is written, the key excluded; all when left out. */
  update<Row>(table: Table<Row>, rows: readonly Row[], changed?: readonly (keyof Row & string)[]): Promise<void>;

  /** From here on statements of this transaction may take as long as they need: for those that touch any number of rows. */
  disableStatementTimeout(): Promise<void>;

  /**
   * An entity manager of this transaction, flushed before its end hooks; earlier by hand where a statement needs it.
   */
  readonly em: SqlEntityManager;

  readonly end: TransactionEnd;
}

/**
 * Waits for all parts of a transaction's work, also when one fails: none may still send when it is rolled back.
 * @param parts `false` for a part that is not needed. @throws the failure that came first, which says the cause.
 */
export async function allSettledOrThrow(...parts: readonly (Promise<unknown> | false | undefined)[]): Promise<void> {
  const failures: unknown[] = [];
  await Promise.all(parts.map((part) => part && part.catch((error: unknown) => failures.push(error))));
  if (failures.length > 0) throw failures[0];
}

/** Called with the failure of a hook that nobody else hears of: it logs and counts it. Must not throw. */
export type HookFailed = (error: unknown) => void;

/**
 * The one place where something follows a commit. Hooks may throw or never return: what was committed stands,
 * everything else that follows it still does, and its callers are answered.
 */
export class TransactionEnd {
  private readonly before: (() => Promise<void>)[] = [];
  private readonly last: (() => Promise<void>)[] = [];
  private readonly after: (() => void | Promise<void>)[] = [];

  /**
   * Runs `work` as the last of this transaction, for rows that all writers share and that should be locked briefly. A
   * throw loses the transaction, and so does work that does not end (`TransactionWatch`).
   */
  beforeCommit(work: () => Promise<void>): void {
    this.before.push(work);
  }

  /**
   * Runs `work` behind all of {@link beforeCommit}, so that its rows are locked last in all transactions (audit log).
   */
  lastBeforeCommit(work: () => Promise<void>): void {
    this.last.push(work);
  }

  /**
   * Runs `work` once this transaction is durable, before the callers are answered; nobody waits for what it returns.
   */
  afterCommit(work: () => void | Promise<void>): void {
    this.after.push(work);
  }

  async reach(): Promise<void> {
    for (const work of this.before) await work();
    for (const work of this.last) await work();
  }

  /** Called by storage when the transaction is durable. Each piece of work fails alone. Never throws. */
  pass(failed: HookFailed): void {
    for (const work of this.after) void Promise.try(work).catch(failed);
  }
}

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
