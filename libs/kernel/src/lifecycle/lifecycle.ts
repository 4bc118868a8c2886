import { withinMs } from '../time.js';
import type { Logger } from '../log/logger.js';

/** Parts register as they start; `stop` ends them last first, and goes on when one fails, within `graceMs` in all. */
export class Lifecycle {
  private readonly parts: { name: string; stop: () => Promise<void> | void }[] = [];
  private stopping: Promise<boolean> | undefined;

  constructor(
    private readonly logger: Logger,
    private readonly graceMs: number,
  ) {}

  onStop(name: string, stop: () => Promise<void> | void): void {
    this.parts.push({ name, stop });
  }

  /** Stops everything. @returns true when all parts ended in time and without error. Later calls get the first's answer. */
  stop(): Promise<boolean> {
    return (this.stopping ??= this.stopAll());
  }

  private async stopAll(): Promise<boolean> {
    const deadline = Date.now() + this.graceMs;
    let clean = true;
    for (const { name, stop } of this.parts.toReversed()) {
      try {
        const leftMs = Math.max(0, deadline - Date.now());
        const outcome = await withinMs(leftMs, Promise.resolve(stop()), () => 'timeout' as const);
        if (outcome !== 'timeout') continue;
        this.logger.warn({ part: name }, 'did not stop in time');
      } catch (error) {
        this.logger.error({ part: name, err: error }, 'failed to stop');
      }
      clean = false;
    }
    return clean;
  }
}
