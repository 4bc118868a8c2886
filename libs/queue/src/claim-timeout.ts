import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { LOGGER, SETTINGS, type Logger, type Settings } from '@spandrel/kernel';
import { ReleaseStaleClaims } from './release-stale-claims.js';

/** How often stale claims are looked for: ten times in the timeout, within these bounds. */
const LOOKS_PER_TIMEOUT = 10;
const LOOK_MS_MIN = 1_000;
const LOOK_MS_MAX = 60_000;

/** Looks for stale claims from time to time, when `queue.claim_timeout` is set. */
@Injectable()
export class ClaimTimeout implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly stopped = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private look: Promise<void> | undefined;

  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly staleClaims: ReleaseStaleClaims,
  ) {}

  onApplicationBootstrap(): void {
    const { claimTimeoutSeconds } = this.settings.queue;
    if (claimTimeoutSeconds !== null) this.schedule(claimTimeoutSeconds * 1_000);
  }

  /** The look under way is the last one; the database stays open until it is over. */
  async onModuleDestroy(): Promise<void> {
    this.stopped.abort();
    clearTimeout(this.timer);
    await this.look;
  }

  private schedule(timeoutMs: number): void {
    const pauseMs = Math.min(LOOK_MS_MAX, Math.max(LOOK_MS_MIN, timeoutMs / LOOKS_PER_TIMEOUT));
    this.timer = setTimeout(() => {
      this.look = this.release(timeoutMs).then(() => {
        if (!this.stopped.signal.aborted) this.schedule(timeoutMs);
      });
    }, pauseMs).unref();
  }

  private async release(timeoutMs: number): Promise<void> {
    try {
      await this.staleClaims.release(Date.now() - timeoutMs, this.stopped.signal);
    } catch (error) {
      this.logger.warn({ err: error }, 'stale claims could not be released; they will be at the next look');
    }
  }
}
