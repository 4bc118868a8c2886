import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { LOGGER, PeriodicTask, type Logger } from '@spandrel/kernel';
import { QueueSettings } from './queue.settings.js';
import { ReviewQueue } from './review-queue.js';

/** How often stale claims are looked for: ten times in the timeout, within these bounds. */
const LOOKS_PER_TIMEOUT = 10;
const LOOK_MS_MIN = 1_000;
const LOOK_MS_MAX = 60_000;

/** Looks for stale claims from time to time, when `queue.claim_timeout` is set. */
@Injectable()
export class ClaimTimeout implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly look: PeriodicTask | undefined;

  constructor({ claimTimeoutSeconds }: QueueSettings, @Inject(LOGGER) logger: Logger, queue: ReviewQueue) {
    if (claimTimeoutSeconds === null) return;
    const timeoutMs = claimTimeoutSeconds * 1_000;
    this.look = new PeriodicTask({
      everyMs: Math.min(LOOK_MS_MAX, Math.max(LOOK_MS_MIN, timeoutMs / LOOKS_PER_TIMEOUT)),
      task: (stopped) => queue.releaseStale(Date.now() - timeoutMs, stopped),
      failure: 'stale claims could not be released; they will be at the next look',
      logger,
    });
  }

  onApplicationBootstrap(): void {
    this.look?.start();
  }

  /** The look under way is the last one; the database stays open until it is over. */
  async onModuleDestroy(): Promise<void> {
    await this.look?.stop();
  }
}
