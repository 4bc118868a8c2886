import { setImmediate as nextTurn } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { ProjectMasking } from '@spandrel/masking';
import { type GroupCommit, DayPartitions, Storage } from '@spandrel/storage';
import type { JobAnswer } from './apply-job.js';
import { prepareLarge, maskJob } from './prepare-job.js';
import { PRICING, type PricingTable } from '../pricing/pricing.js';
import { TextsUnavailable } from '../reading/cold-texts.js';
import { ReadStorePort } from '../reading/read-store-port.js';
import { SpanStore } from '../span.store.js';
import { isBulkDelete, jobWeight, startsOf, type TracingJob } from './tracing-job.js';
import { WriteBatch } from './write-batch.js';

type AnswerOf<Type extends JobAnswer['type']> = Extract<JobAnswer, { type: Type }>;

/** Items of one job of an ingest, a transaction: on SQLite a fifth of a large request, which holds the event loop 25 ms. */
const JOB_ITEMS = { sqlite: 512, postgres: 1_024 };

/** Records of one job: on SQLite a span waits 10 to 15 ms for it; half as many took a third more CPU a span. */
const JOB_RECORDS = { sqlite: 128, postgres: 1_024 };

/** Rows from which on a job is so large that others do not wait behind it. */
const LARGE_ROWS = 128;

/** How often texts are brought back for one job: somebody may take them away again before it is done. */
const ATTEMPTS = 3;

/** The one way in which traces and spans are written: masked by the rules of their project, through one group commit. */
@Injectable()
export class RecordWrites {
  /** Items of an ingest that one job should have at most. */
  readonly jobItems: number;
  /** Records of spans that one job should have at most. */
  readonly jobRecords: number;
  private readonly group: GroupCommit<TracingJob, JobAnswer>;

  constructor(
    storage: Storage,
    batch: WriteBatch,
    @Inject(PRICING) pricing: PricingTable,
    private readonly partitions: DayPartitions,
    private readonly masking: ProjectMasking,
    private readonly spans: SpanStore,
    private readonly readStore: ReadStorePort,
  ) {
    this.jobItems = JOB_ITEMS[storage.dialect];
    this.jobRecords = JOB_RECORDS[storage.dialect];
    this.group = storage.groupCommit<TracingJob, JobAnswer>({
      apply: (tx, jobs) => batch.apply(tx, jobs, pricing),
      // Rows of a transaction are locked in one order; a bulk delete beside other jobs would begin that order again.
      weigh: (job) => (!storage.exclusive && isBulkDelete(job) ? Number.MAX_SAFE_INTEGER : jobWeight(job)),
      isLarge: (job) => jobWeight(job) >= LARGE_ROWS,
    });
  }

  /**
   * @param answer which kind of answer the job gets.
   * @returns it, once the write is durable. @throws the domain error of the job, or Unavailable.
   */
  async execute<Type extends JobAnswer['type']>(job: TracingJob, answer: Type): Promise<AnswerOf<Type>> {
    const preparing = this.partitions.prepare(startsOf(job));
    if (preparing) await preparing;
    const rules = this.masking.of(job.scope);
    const masking = rules instanceof Promise ? await rules : rules;
    const stored = masking ? masking.run((calls) => maskJob(calls, job, masking)) : job;
    const masked = stored instanceof Promise ? await stored : stored;
    const large = prepareLarge(masked);
    const given = await this.submit(large ? await large : masked);
    // A large answer is written in a turn of its own, not in that of the transaction.
    if (large) await nextTurn();
    if (given.type !== answer) throw new Error(`${job.type} answered ${given.type}`);
    return given as AnswerOf<Type>;
  }

  /** Has a job done once the texts that it needs are in the database. */
  private async submit(job: TracingJob): Promise<JobAnswer> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.group.submit(job);
      } catch (error) {
        if (!(error instanceof TextsUnavailable) || attempt === ATTEMPTS) throw error;
        await this.spans.bringBack(job.scope, error.ids, this.readStore);
      }
    }
  }
}
