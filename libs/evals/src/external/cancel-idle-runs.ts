import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { LOGGER, PeriodicTask, type Logger } from '@spandrel/kernel';
import { ChangeRun } from '../change-run.js';
import { EvalRunStore } from '../eval-run.store.js';
import { EvalsSettings } from '../evals.settings.js';

/** How often idle runs are looked for, at the longest. */
const EVERY_MS_MAX = 60_000;

/** Cancels external runs whose callers have sent nothing for `evals.external_idle` (docs/spec/external-runs.md#idle-runs). */
@Injectable()
export class CancelIdleRuns implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private task: PeriodicTask | undefined;

  constructor(
    private readonly runs: EvalRunStore,
    private readonly change: ChangeRun,
    private readonly settings: EvalsSettings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    const { paused, externalIdleMs } = this.settings;
    // The runs of a restored copy are not to be ended by it.
    if (paused) return;
    this.task = new PeriodicTask({
      everyMs: Math.min(EVERY_MS_MAX, externalIdleMs / 2),
      task: () => this.execute(Date.now()),
      failure: 'idle eval runs cannot be looked for now',
      logger: this.logger,
    });
    this.task.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.task?.stop();
  }

  /**
   * Cancels the runs that are idle at a time, in ms. Servers that find the same one cancel it once: how it is found is looked at
   * again where it is locked.
   */
  async execute(now: number): Promise<void> {
    const { externalIdleMs } = this.settings;
    for (const run of await this.runs.idle(now - externalIdleMs)) {
      await this.change.cancelIdle(run, externalIdleMs, now);
    }
  }
}
