import { renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { tempDir } from './spandrel.ts';

/** The clock of started programs, which a test has run faster than its own: ten minutes pass in half a one. */
export class FastClock {
  private readonly file = join(tempDir(), 'clock.json');
  private set = { factor: 1, at: Date.now(), now: Date.now() };

  constructor() {
    this.write();
  }

  /** What a program is started with, to have this clock. */
  get env(): Record<string, string> {
    return { TEST_CLOCK: this.file, NODE_OPTIONS: `--import=${resolve('test/support/fast-clock.mjs')}` };
  }

  /** The time of the programs, in milliseconds since the epoch. */
  now(): number {
    return Math.floor(this.set.now + (Date.now() - this.set.at) * this.set.factor);
  }

  /** From now on the clock goes so many times as fast as that of the test. */
  run(factor: number): void {
    this.set = { factor, now: this.now(), at: Date.now() };
    this.write();
  }

  private write(): void {
    writeFileSync(`${this.file}.new`, JSON.stringify(this.set));
    renameSync(`${this.file}.new`, this.file);
  }
}
