import { Injectable } from '@nestjs/common';
import { contentOf } from '@spandrel/datasets';
import type { DatapointKind } from '@spandrel/contract';
import type { OpenConnection } from '@spandrel/connections';
import type { ChatCall } from '@spandrel/plugin-api';
import { integer, nullable, shapeOf, sql, Storage, text, type Sql } from '@spandrel/storage';
import { largeRequestHash } from '@spandrel/tracing';
import { EvalAttemptStore } from '../eval-attempt.store.js';
import type { SampleKey } from '../eval-item.js';
import type { EvalRunRow } from '../eval-run.entity.js';
import { readText } from '../eval-run.js';
import type { SampleResult } from './sample-result.js';

const DAY_MS = 86_400_000;

/** What a sample has of the call of its model, made for it or for an earlier one. */
export type KnownAnswer = Pick<
  SampleResult,
  'latencyMs' | 'tokens' | 'cost' | 'attempts' | 'callHash' | 'reusedRunId'
> & { output: string };

/**
 * Equal for calls that are equal to a model, for datapoints that are the same but for the results of runs.
 * @param call as it is before anything is left out of it that its model does not take.
 */
export const hashCall = (
  { id, providerName, target }: Pick<OpenConnection, 'id' | 'providerName' | 'target'>,
  call: ChatCall,
  kind: DatapointKind,
): Promise<string> =>
  largeRequestHash({
    connection: [id, providerName, target.baseUrl],
    call: { ...call },
    kind: Object.entries(kind).map(([name, variant]) => [name, contentOf(variant as Record<string, unknown>)]),
  });

const ANSWER = shapeOf({ output: text(), latencyMs: nullable(integer()), runId: text() });

/** Finds what was answered before, so that it is not asked again (docs/spec/evaluations.md#answers-of-earlier-runs). */
@Injectable()
export class FindAnswers {
  constructor(
    private readonly storage: Storage,
    private readonly attempts: EvalAttemptStore,
  ) {}

  /** How often a sample was tried before, and the answer of the last time where that is to be scored again. */
  async findFormer(run: EvalRunRow, sample: SampleKey): Promise<{ tries: number; kept?: KnownAnswer }> {
    const last = run.retriedSamples > 0 ? await this.attempts.findLast(run, sample) : undefined;
    if (!last) return { tries: 0 };
    const tries = last.attempt + 1;
    if (last.isKept === 0) return { tries };
    const { latencyMs, tokens, cost, attempts, callHash, reusedRunId } = last;
    return {
      tries,
      kept: { output: readText(last.output)!, latencyMs, tokens, cost, attempts, callHash, reusedRunId },
    };
  }

  /**
   * The answer that an earlier run got to the same call for the same repeat, the newest one, that of the same datapoint before others;
   * `undefined` where there is none, or the run takes none over.
   */
  async findReusable(run: EvalRunRow, sample: SampleKey, callHash: string): Promise<KnownAnswer | undefined> {
    if (run.cacheDays === null) return undefined;
    const { projectId, id, createdAt, cacheDays } = run;
    const { datapointId, repeat } = sample;
    const found = (rows: Sql): Sql => sql`select s.output, s.latency_ms, s.run_id, r.created_at,
        case when s.datapoint_id = ${datapointId} then 0 else 1 end as is_other
      from ${rows} join eval_run r on r.project_id = s.project_id and r.id = s.run_id
      where s.project_id = ${projectId} and s.call_hash = ${callHash} and s.output is not null and r.id <> ${id}
        and r.created_at >= ${createdAt - cacheDays * DAY_MS} and r.created_at <= ${createdAt}`;
    // Runs that try each datapoint once have their samples in another table.
    const once = repeat === 0 ? sql`${found(sql`eval_result s`)} union all` : sql``;
    const [answer] = await this.storage.readLong(
      ANSWER.query`select output, latency_ms as "latencyMs", run_id as "runId" from (${once}
        ${found(sql`eval_sample s`)} and s.repeat = ${repeat}) found
        order by is_other, created_at desc, run_id desc limit 1`,
    );
    if (!answer) return undefined;
    const { output, latencyMs, runId } = answer;
    const known = { output: readText(output)!, latencyMs, tokens: 0, cost: 0, attempts: 0 };
    return { ...known, callHash: null, reusedRunId: runId };
  }
}
