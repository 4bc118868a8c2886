import { Inject, Injectable } from '@nestjs/common';
import type { GroupCommit } from '@spandrel/storage';
import { DayPartitions, Storage } from '@spandrel/storage';
import type { JobAnswer } from './apply-job.js';
import { PRICING, type PricingTable } from './pricing.js';
import { isBulkDelete, jobWeight, startsOf, type TracingJob } from './tracing-job.js';
import { WriteBatch } from './write-batch.js';

type AnswerOf<Type extends JobAnswer['type']> = Extract<JobAnswer, { type: Type }>;

/** The one way in which traces and spans are written: all of it goes through one group commit. */
@Injectable()
export class RecordWrites {
  private readonly group: GroupCommit<TracingJob, JobAnswer>;

  constructor(
    storage: Storage,
    batch: WriteBatch,
    @Inject(PRICING) pricing: PricingTable,
    private readonly partitions: DayPartitions,
  ) {
    this.group = storage.groupCommit<TracingJob, JobAnswer>({
      apply: (tx, jobs) => batch.apply(tx, jobs, pricing),
      // Rows of a transaction are locked in one order; a bulk delete beside other jobs would begin that order anew.
      weigh: (job) => (!storage.exclusive && isBulkDelete(job) ? Number.MAX_SAFE_INTEGER : jobWeight(job)),
    });
  }

  /**
   * @param answer which kind of answer the job gets.
   * @returns it, once the write is durable. @throws the domain error of the job, or Unavailable.
   */
  async submit<Type extends JobAnswer['type']>(job: TracingJob, answer: Type): Promise<AnswerOf<Type>> {
    const preparing = this.partitions.prepare(startsOf(job));
    if (preparing) await preparing;
    const given = await this.group.submit(job);
    if (given.type !== answer) throw new Error(`${job.type} answered ${given.type}`);
    return given as AnswerOf<Type>;
  }
}
