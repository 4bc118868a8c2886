import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, projectScope, type Logger } from '@spandrel/kernel';
import { Ingest } from '@spandrel/tracing';
import type { EvalRunRow } from '../eval-run.entity.js';
import type { SampleKey } from '../running-items.js';
import type { NotedCall } from './note-call.js';
import { traceOfItem } from './trace-of-item.js';

/** Writes the traces of items (docs/spec/evaluations.md#traces-of-items). */
@Injectable()
export class WriteItemTrace {
  constructor(
    private readonly ingest: Ingest,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Writes the calls for a sample of an item as a trace; the same sample always has the same one.
   * @returns its id once it is durable; `null` when there was no call, or the trace was refused.
   * @throws Unavailable when the database cannot take it now.
   */
  async execute(run: EvalRunRow, sample: SampleKey, calls: readonly NotedCall[]): Promise<string | null> {
    if (calls.length === 0) return null;
    const { trace, spans } = traceOfItem(run, sample, calls);
    const { accepted, rejected } = await this.ingest.execute(projectScope(run.projectId), { traces: [trace], spans });
    if (rejected.length > 0) {
      const facts = { run_id: run.id, datapoint_id: sample.datapointId, rejected };
      this.logger.warn(facts, 'the trace of an item could not be written whole');
    }
    return accepted.traces === 1 ? trace.id : null;
  }
}
