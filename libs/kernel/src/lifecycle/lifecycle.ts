import { withinMs } from '../time.js';
import type { Logger } from '../log/logger.js';

interface Part {
  name: string;
  stop: () => Promise<void> | void;
}

/** Parts register as they start; `stop` ends them last first, and goes on when one fails, within `graceMs` in all. */
export class Lifecycle {
  private readonly parts: Part[] = [];
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
    for (const part of this.parts.toReversed()) {
      clean = (await this.stopPart(part, Math.max(0, deadline - Date.now()))) && clean;
    }
    return clean;
  }

  private async stopPart(part: Part, timeoutMs: number): Promise<boolean> {
    try {
      const outcome = await withinMs(timeoutMs, Promise.resolve(part.stop()), () => 'timeout' as const);
      if (outcome !== 'timeout') return true;
      this.logger.warn({ part: part.name }, 'did not stop in time');
    } catch (error) {
      this.logger.error({ part: part.name, err: error }, 'failed to stop');
    }
    return false;
  }
}
