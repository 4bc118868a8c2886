import type { Logger } from '../log/logger.js';

/** Leaves a line in the log when something is lost and when it is found again, however often either is told. */
export class OutageLog {
  private isLost = false;

  constructor(
    private readonly logger: Logger,
    private readonly sentences: { lost: string; found: string },
  ) {}

  lost(error: Error): void {
    if (this.isLost) return;
    this.isLost = true;
    this.logger.warn({ err: error }, this.sentences.lost);
  }

  found(): void {
    if (!this.isLost) return;
    this.isLost = false;
    this.logger.info(this.sentences.found);
  }
}
