import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '@spandrel/kernel';
import type { EvalRunRow } from '../eval-run.entity.js';
import type { RunKey } from '../eval-run.store.js';
import type { SampleKey } from '../running-items.js';
import { unrecordable } from './execute-sample.js';
import { patiently, type Patience } from './patiently.js';
import { RecordItems, type ItemStep, type StepAnswer } from './record-items.js';
import { SampleEnds } from './sample-ends.js';
import type { SampleResult } from './sample-result.js';

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
export const turnOf = ({ projectId, id }: RunKey, { orgId = projectId }: ExecuteRunOptions): readonly string[] => [
  orgId,
  projectId,
  id,
];

/** What the slots of a run have to do. */
export interface SlotWork<Sample extends SampleKey> {
  /** Samples at once. */
  slots: number;
  samples: { next(): Promise<Sample | undefined> };
  /** Processes a sample that has begun. @throws when `kill` fires, and for what is to interrupt the run. */
  call: (sample: Sample) => Promise<SampleResult>;
}

/** What one execution of a run's slots goes by. */
interface Shift<Sample extends SampleKey> extends ExecuteRunOptions {
  run: EvalRunRow;
  work: SlotWork<Sample>;
  ends: SampleEnds;
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
    const ends = new SampleEnds();
    const shift: Shift<Sample> = { ...options, run, work, ends };
    const close = (): void => ends.close();
    options.stop.addEventListener('abort', close, { once: true });
    try {
      const ended = await Promise.allSettled(Array.from({ length: work.slots }, () => this.slot(shift)));
      const failed = ended.find(({ status }) => status === 'rejected');
      if (failed?.status === 'rejected') throw failed.reason;
    } finally {
      options.stop.removeEventListener('abort', close);
    }
  }

  /** A notice of what could not be stored, for {@link Patience}. */
  notStored =
    ({ id }: RunKey): Patience['failed'] =>
    (error) =>
      this.logger.warn({ err: error, run_id: id }, 'a result could not be stored; trying again');

  /** One sample after the other. */
  private async slot<Sample extends SampleKey>(shift: Shift<Sample>): Promise<void> {
    try {
      let current = await this.next(shift, undefined);
      while (current !== undefined) {
        const { datapointId, repeat } = current;
        const result = await shift.work.call(current);
        current = await this.next(shift, { datapointId, repeat, result });
      }
    } catch (error) {
      // The sample of this slot counts as one that is under way and never ends: nobody may wait for it.
      shift.ends.close();
      if (!shift.kill.aborted) throw error;
    }
  }

  /** Records what is finished and begins the next sample. @returns it; `undefined` when there is none for this slot. */
  private async next<Sample extends SampleKey>(
    { run, work, ends, owner, stop, kill }: Shift<Sample>,
    finished: ItemStep['finished'],
  ): Promise<Sample | undefined> {
    const next = stop.aborted ? undefined : await work.samples.next();
    if (next === undefined && finished === undefined) return undefined;
    const step: ItemStep = { run, owner, now: Date.now() };
    if (next) step.next = { datapointId: next.datapointId, repeat: next.repeat };
    // The decision knows of the end of this one.
    let seen = ends.soFar + (finished ? 1 : 0);
    let answer = await this.recordPatiently(finished ? { ...step, finished } : step, kill);
    if (finished) ends.notify();
    if (!answer.waits) return answer.begun ? next : undefined;
    while (answer.waits && (await ends.beyond(seen))) {
      seen = ends.soFar;
      answer = await this.recordPatiently({ ...step, now: Date.now() }, kill);
    }
    // Whoever waits on is told that there is more room, or none for anybody.
    if (answer.begun) ends.foundRoom();
    else ends.close();
    return answer.begun ? next : undefined;
  }

  /** A result that can never be written fails its sample, lest the sample be called for ever. */
  private async recordPatiently(step: ItemStep, kill: AbortSignal): Promise<StepAnswer> {
    const patience = { kill, failed: this.notStored(step.run) };
    try {
      return await patiently(() => this.record.execute(step), patience);
    } catch (error) {
      if (kill.aborted || !step.finished) throw error;
      const finished = { ...step.finished, result: unrecordable(step.finished.result) };
      return patiently(() => this.record.execute({ ...step, finished }), patience);
    }
  }
}
