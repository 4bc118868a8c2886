import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { LOGGER, newId, type Logger } from '@spandrel/kernel';
import { Storage } from '@spandrel/storage';
import { ChangeRun } from './change-run.js';
import type { EvalRunRow } from './eval-run.entity.js';
import { EvalRunStore, type RunKey } from './eval-run.store.js';
import { ExecuteRun } from './execute-run.js';

/** A run whose process says nothing for so long is taken over by another (within 60 s, contract.md "Evaluations"). */
const LEASE_MS = 30_000;
const RENEW_MS = 10_000;
const POLL_MS = 5_000;
/** What calls in flight get to end when the process stops; their items are called again by the next one otherwise. */
const DRAIN_MS = 5_000;

/**
 * The runs this process works on. A run belongs to a process by a lease that the process keeps renewing; one whose lease
 * has run out is taken up by whoever sees it first and goes on from its unfinished items.
 */
@Injectable()
export class RunWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly owner = newId();
  private readonly running = new Map<string, { stop: AbortController; done: Promise<void> }>();
  private readonly timers: NodeJS.Timeout[] = [];
  private readonly killed = new AbortController();
  private stopped = false;

  constructor(
    private readonly storage: Storage,
    private readonly runs: EvalRunStore,
    private readonly change: ChangeRun,
    private readonly execute: ExecuteRun,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** The lease a run is made with. */
  lease = (now: number): { owner: string; until: number } => ({ owner: this.owner, until: now + LEASE_MS });

  /** Goes to work on a run that is this process's. */
  begin(run: RunKey): void {
    const key = keyOf(run);
    if (this.stopped || this.running.has(key)) return;
    const stop = new AbortController();
    const done = this.work(run, stop.signal).finally(() => this.running.delete(key));
    this.running.set(key, { stop, done });
  }

  async onApplicationBootstrap(): Promise<void> {
    if (this.storage.exclusive) await this.runs.release();
    await this.poll();
    this.every(POLL_MS, () => this.poll());
    this.every(RENEW_MS, () => this.runs.renew(this.owner, Date.now() + LEASE_MS));
  }

  /** Begins no more items, waits a little for those in flight, and lets the runs go. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopped = true;
    for (const timer of this.timers) clearInterval(timer);
    const running = [...this.running.values()];
    for (const { stop } of running) stop.abort();
    const kill = setTimeout(() => this.killed.abort(new Error('the process is stopping')), DRAIN_MS);
    await Promise.all(running.map(({ done }) => done));
    clearTimeout(kill);
    await this.runs.release(this.owner).catch((error: unknown) => this.logger.warn({ err: error }, 'leases stay'));
  }

  private async poll(): Promise<void> {
    const now = Date.now();
    for (const run of await this.runs.abandoned(now)) {
      if (this.stopped) return;
      if (await this.runs.lease(run, this.owner, now, now + LEASE_MS)) this.begin(run);
    }
  }

  private async work(key: RunKey, stop: AbortSignal): Promise<void> {
    try {
      const run: EvalRunRow | undefined = await this.change.begin(key, Date.now());
      if (!run) return;
      await this.execute.run(run, { owner: this.owner, stop, kill: this.killed.signal });
    } catch (error) {
      this.logger.error({ err: error, run_id: key.id }, 'an eval run was interrupted; it is taken up again');
      await this.runs.giveBack(key, Date.now() + POLL_MS).catch(() => undefined);
    }
  }

  private every(ms: number, task: () => Promise<void>): void {
    const timer = setInterval(
      () => void task().catch((error: unknown) => this.logger.warn({ err: error }, 'eval runs cannot be looked after')),
      ms,
    );
    this.timers.push(timer.unref());
  }
}

const keyOf = ({ projectId, id }: RunKey): string => `${projectId}/${id}`;
