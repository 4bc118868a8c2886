import { Inject, Injectable, Optional, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import {
  LOGGER,
  PeriodicTask,
  RETENTION_POLICY,
  SETTINGS,
  type Logger,
  type RetentionPolicy,
  type Settings,
} from '@spandrel/kernel';
import { ExpireSpans } from './expire-spans.js';

/** Deletes what is too old every `retention.interval`, where there is a policy that says what is. */
@Injectable()
export class RetentionTask implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly task: PeriodicTask | undefined;

  constructor(
    @Inject(SETTINGS) { retention }: Pick<Settings, 'retention'>,
    @Inject(LOGGER) private readonly logger: Logger,
    private readonly expire: ExpireSpans,
    @Optional() @Inject(RETENTION_POLICY) policy?: RetentionPolicy,
  ) {
    if (!policy) return;
    this.task = new PeriodicTask({
      everyMs: retention.intervalMs,
      task: (stopped) => this.run(policy, stopped),
      failure: 'what is too old could not be deleted; it will be at the next time',
      logger,
    });
  }

  onApplicationBootstrap(): void {
    this.task?.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.task?.stop();
  }

  private async run(policy: RetentionPolicy, stopped: AbortSignal): Promise<void> {
    const { plans, daysDropped } = await this.expire.run(await policy.terms(), Date.now(), stopped);
    const deleted = [...plans].filter(([, { traces, spans }]) => traces + spans > 0);
    if (deleted.length > 0) this.logger.info({ ...Object.fromEntries(deleted), daysDropped }, 'retention: deleted');
  }
}
