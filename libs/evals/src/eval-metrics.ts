import { Inject, Injectable } from '@nestjs/common';
import { Counter, Gauge, type Registry } from '@prometheus-io/client';
import { METRICS, Permits } from '@spandrel/kernel';
import type { EventPayload } from '@spandrel/contract';
import type { EvalResultRow } from './eval-run.entity.js';
import { RESULT_STATUS } from './eval-run.js';

const OUTCOMES = { eval_completed: 'completed', eval_failed: 'failed', eval_cancelled: 'cancelled' } as const;

/** Counts what becomes of runs and their items, once it is durable. */
@Injectable()
export class EvalMetrics {
  private readonly runs;
  private readonly items;

  constructor(@Inject(METRICS) registry: Registry, permits: Permits) {
    const registers = [registry];
    this.runs = new Counter({
      name: 'spandrel_eval_runs_total',
      help: 'Eval runs that ended, by outcome.',
      labelNames: ['outcome'] as const,
      registers,
    });
    for (const outcome of Object.values(OUTCOMES)) this.runs.inc({ outcome }, 0);
    this.items = new Counter({
      name: 'spandrel_eval_items_total',
      help: 'Items of eval runs that were processed, by outcome.',
      labelNames: ['outcome'] as const,
      registers,
    });
    for (const outcome of ['completed', 'failed']) this.items.inc({ outcome }, 0);
    for (const [name, help, read] of [
      ['spandrel_eval_calls_in_flight', 'Model calls of eval runs that are under way.', () => permits.taken],
      ['spandrel_eval_calls_waiting', 'Model calls of eval runs that wait for evals.calls_max.', () => permits.waits],
    ] as const) {
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read());
        },
      });
    }
  }

  /** Counts the outcomes of runs among the events of a committed transaction. */
  countOutcomes(events: readonly Pick<EventPayload, 'type'>[]): void {
    for (const { type } of events)
      if (type in OUTCOMES) this.runs.inc({ outcome: OUTCOMES[type as keyof typeof OUTCOMES] });
  }

  /** Counts the results of a committed transaction. */
  countResults(results: readonly Pick<EvalResultRow, 'status'>[]): void {
    const failed = results.filter(({ status }) => status === RESULT_STATUS.failed).length;
    if (failed > 0) this.items.inc({ outcome: 'failed' }, failed);
    if (failed < results.length) this.items.inc({ outcome: 'completed' }, results.length - failed);
  }
}
