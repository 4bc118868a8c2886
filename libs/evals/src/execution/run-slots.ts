import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '@spandrel/kernel';
import { retryStorageWrite, type RetryOptions } from '@spandrel/storage';
import type { EvalRunRow } from '../eval-run.entity.js';
import type { RunKey } from '../eval-run.store.js';
import type { SampleKey } from '../eval-item.js';
import { unrecordable } from './execute-sample.js';
import { RecordItems, type ItemStep, type StepAnswer } from './add-samples.js';
import type { SampleResult } from './sample-result.js';

/**
 * Wakes slots of a run that wait for room below its cost cap when one of its samples has ended. An end wakes one of them, and each
 * that found room two more: so many ask as can begin, about, and nobody polls.
 */
class SampleCompletions {
  private count = 0;
  private isClosed = false;
  private readonly waiting: (() => void)[] = [];

  get soFar(): number {
    return this.count;
  }

  /** A sample's end is durable. */
  notify(): void {
    this.count++;
    this.wake(1);
  }

  /** A slot that had waited found room: there may be more of it. */
  releaseSlot(): void {
    this.wake(2);
  }

  /** Nobody is to wait any more: the run is left, or a sample under way will never end here. */
  close(): void {
    this.isClosed = true;
    this.wake(this.waiting.length);
  }

  /** Waits until it is woken, unless more samples have ended already than the caller has seen. @returns whether to ask again. */
  async beyond(seen: number): Promise<boolean> {
    if (!this.isClosed && this.count <= seen) await new Promise<void>((resolve) => this.waiting.push(resolve));
    return !this.isClosed;
  }

  private wake(count: number): void {
    for (const resolve of this.waiting.splice(0, count)) resolve();
  }
}

export interface ExecuteRunOptions {
  /** The process that holds the run's lease. */
  owner: string;
  /** The organization of the run's project; left out where a project stands for itself. */
  orgId?: string | undefined;
  /** No further sample is begun. */
  stop: AbortSignal;
  /** Calls in flight are given up. */
  kill: AbortSignal;
}

/** By what a run takes turns with others for its model calls: organization, project, run. */
export const createTurnPath = (
  { projectId, id }: RunKey,
  { orgId = projectId }: ExecuteRunOptions,
): readonly string[] => [orgId, projectId, id];

interface SlotWork<Sample extends SampleKey> {
  slots: number;
  samples: AsyncIterator<Sample, undefined>;
  /** Processes a sample that has begun. @throws when `kill` fires, and for what is to interrupt the run. */
  call: (sample: Sample) => Promise<SampleResult>;
}

interface RunContext<Sample extends SampleKey> extends ExecuteRunOptions {
  run: EvalRunRow;
  work: SlotWork<Sample>;
  completions: SampleCompletions;
}

/** Keeps so many samples of a run going: one is called once the one before in its slot is durable. */
@Injectable()
export class RunSlots {
  constructor(
    private readonly record: RecordItems,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Works on samples until none is left for any slot, the run is no longer this owner's to work on, or `stop` fires.
   * @throws what interrupted a slot, once all have ended.
   */
  async execute<Sample extends SampleKey>(
    run: EvalRunRow,
    work: SlotWork<Sample>,
    options: ExecuteRunOptions,
  ): Promise<void> {
    const completions = new SampleCompletions();
    const context: RunContext<Sample> = { ...options, run, work, completions };
    const close = (): void => completions.close();
    options.stop.addEventListener('abort', close, { once: true });
    try {
      const ended = await Promise.allSettled(Array.from({ length: work.slots }, () => this.slot(context)));
      const failed = ended.find(({ status }) => status === 'rejected');
      if (failed?.status === 'rejected') throw failed.reason;
    } finally {
      options.stop.removeEventListener('abort', close);
    }
  }

  /** A notice of what could not be stored, for {@link RetryOptions}. */
  notStored =
    ({ id }: RunKey): RetryOptions['failed'] =>
    (error) =>
      this.logger.warn({ err: error, run_id: id }, 'a result could not be stored; trying again');

  private async slot<Sample extends SampleKey>(context: RunContext<Sample>): Promise<void> {
    try {
      let current = await this.next(context, undefined);
      while (current !== undefined) {
        const { datapointId, repeat } = current;
        const result = await context.work.call(current);
        current = await this.next(context, { datapointId, repeat, result });
      }
    } catch (error) {
      // The sample of this slot counts as one that is under way and never ends: nobody may wait for it.
      context.completions.close();
      if (!context.kill.aborted) throw error;
    }
  }

  /** Records what is finished and begins the next sample. @returns it; `undefined` when there is none for this slot. */
  private async next<Sample extends SampleKey>(
    { run, work, completions, owner, stop, kill }: RunContext<Sample>,
    finished: ItemStep['finished'],
  ): Promise<Sample | undefined> {
    const next = stop.aborted ? undefined : (await work.samples.next()).value;
    if (next === undefined && finished === undefined) return undefined;
    const step: ItemStep = { run, owner, now: Date.now() };
    if (next) step.next = { datapointId: next.datapointId, repeat: next.repeat };
    // The decision knows of the end of this one.
    let seen = completions.soFar + (finished ? 1 : 0);
    let answer = await this.recordWithRetries(finished ? { ...step, finished } : step, kill);
    if (finished) completions.notify();
    if (!answer.waits) return answer.begun ? next : undefined;
    while (answer.waits && (await completions.beyond(seen))) {
      seen = completions.soFar;
      answer = await this.recordWithRetries({ ...step, now: Date.now() }, kill);
    }
    // Slots that still wait learn that there is more room, or none at all.
    if (answer.begun) completions.releaseSlot();
    else completions.close();
    return answer.begun ? next : undefined;
  }

  /** A result that can never be written fails its sample, which would otherwise be called for ever. */
  private async recordWithRetries(step: ItemStep, kill: AbortSignal): Promise<StepAnswer> {
    const retry = { kill, failed: this.notStored(step.run) };
    try {
      return await retryStorageWrite(() => this.record.execute(step), retry);
    } catch (error) {
      if (kill.aborted || !step.finished) throw error;
      const finished = { ...step.finished, result: unrecordable(step.finished.result) };
      return retryStorageWrite(() => this.record.execute({ ...step, finished }), retry);
    }
  }
}
