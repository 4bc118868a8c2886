import { Injectable } from '@nestjs/common';
import { BackgroundTasks } from '@spandrel/kernel';
import { QueueSettings } from './queue.settings.js';
import { ReviewQueue } from './review-queue.js';

/** How often stale claims are looked for: ten times in the timeout, within these bounds. */
const LOOKS_PER_TIMEOUT = 10;
const LOOK_MS_MIN = 1_000;
const LOOK_MS_MAX = 60_000;

/** Looks for stale claims from time to time, when `queue.claim_timeout` is set. */
@Injectable()
export class ClaimTimeout {
  constructor({ claimTimeoutSeconds }: QueueSettings, tasks: BackgroundTasks, queue: ReviewQueue) {
    if (claimTimeoutSeconds === null) return;
    const timeoutMs = claimTimeoutSeconds * 1_000;
    tasks.add({
      everyMs: Math.min(LOOK_MS_MAX, Math.max(LOOK_MS_MIN, timeoutMs / LOOKS_PER_TIMEOUT)),
      task: (stopped) => queue.releaseStale(Date.now() - timeoutMs, stopped),
      failure: 'stale claims could not be released; they will be at the next look',
    });
  }
}
