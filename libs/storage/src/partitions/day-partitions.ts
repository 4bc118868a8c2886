import type { Logger } from '@spandrel/kernel';
import type { Storage } from '../storage.js';
import { dayOf } from './day-conditions.js';
import type { DayTables } from './day-tables.js';

/** Days that get a partition: longer ago than any plan keeps, rows are soon deleted again; far ahead, clocks are wrong. */
const DAYS_BACK = 100;
const DAYS_AHEAD = 2;

/** How long others may have to wait behind the making or dropping of a partition. */
const LOCK_MS = 200;
/** How long rows of a day go to the default partition after a failure. */
const AGAIN_MS = 10_000;

const getsPartition = (day: number, today: number): boolean => day >= today - DAYS_BACK && day <= today + DAYS_AHEAD;

/** Partitions by day of some tables (ADR 0013), made when the first row of a day is about to come. None on SQLite. */
export class DayPartitions {
  private readonly made = new Set<number>();
  private asked = false;
  private readonly making = new Map<number, Promise<void>>();
  private readonly failedAt = new Map<number, number>();

  constructor(
    private readonly storage: Pick<Storage, 'dialect' | 'read' | 'write'>,
    private readonly logger: Logger,
    private readonly tables: DayTables,
  ) {}

  /**
   * Makes missing partitions. Never fails: without one, rows go to the default partition.
   * @returns `undefined` when there is nothing to wait for.
   */
  prepare(starts: Iterable<number>): Promise<void> | undefined {
    if (this.storage.dialect === 'sqlite') return undefined;
    const [now, today] = [performance.now(), dayOf(Date.now())];
    const missing = new Set<number>();
    for (const start of starts) {
      const day = dayOf(start);
      if (this.made.has(day) || !getsPartition(day, today)) continue;
      if (now - (this.failedAt.get(day) ?? -Infinity) > AGAIN_MS) missing.add(day);
    }
    return missing.size === 0 ? undefined : this.make([...missing]);
  }

  /** The days that have partitions, oldest first, asked of the database. None on SQLite. */
  async days(): Promise<number[]> {
    if (this.storage.dialect === 'sqlite') return [];
    const days = (await this.storage.read(this.tables.days)).map(({ day }) => day);
    this.asked = true;
    this.made.clear();
    for (const day of days) this.made.add(day);
    return days;
  }

  /** The days found by the last call of {@link days}: another process may have made or dropped some since. */
  async known(): Promise<ReadonlySet<number>> {
    if (!this.asked) await this.days();
    return this.made;
  }

  /** Drops the partitions of an empty day. @returns whether they could be dropped just now. */
  async drop(day: number): Promise<boolean> {
    try {
      await this.storage.write((tx) => this.tables.drop(tx, day, LOCK_MS));
      this.made.delete(day);
      return true;
    } catch (error) {
      this.logger.debug({ err: error, day }, 'partitions could not be dropped');
      return false;
    }
  }

  private async make(days: readonly number[]): Promise<void> {
    for (const day of days) {
      let making = this.making.get(day);
      if (!making) {
        making = this.makeOne(day).finally(() => this.making.delete(day));
        this.making.set(day, making);
      }
      await making;
    }
  }

  private async makeOne(day: number): Promise<void> {
    try {
      if ((await this.known()).has(day)) return;
      await this.storage.write((tx) => this.tables.make(tx, day, LOCK_MS));
      this.made.add(day);
    } catch (error) {
      this.failedAt.set(day, performance.now());
      this.logger.debug({ err: error, day }, 'partitions could not be made; rows go to the default partition');
    }
  }
}
