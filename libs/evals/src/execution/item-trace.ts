import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { EVAL_TAG, formatTimestamp, type IngestSpan, type IngestTrace } from '@spandrel/contract';
import { LOGGER, projectScope, type Logger } from '@spandrel/kernel';
import { usageMembers, type Usage } from '@spandrel/plugin-api';
import { Ingest } from '@spandrel/tracing';
import type { EvalRunRow } from '../eval-run.entity.js';
import type { SampleKey } from '../eval-item.js';
import type { ObservedCall } from './model-call.js';

type Wire<Item> = Omit<Item, 'started_at' | 'ended_at'> & { started_at: string; ended_at?: string };

/** A sample, and how often it was tried before. */
type TracedSample = SampleKey & { tries?: number };

/** The id of a sample's trace, of as many digits as OpenTelemetry's have, and the same for every process. */
function createTraceId(runId: string, { datapointId, repeat, tries = 0 }: TracedSample): string {
  const parts = [runId, datapointId, ...(repeat > 0 || tries > 0 ? [repeat] : []), ...(tries > 0 ? [tries] : [])];
  const name = parts.join('\0');
  return createHash('sha256').update(name).digest('hex').slice(0, 32);
}

/**
 * The trace of a sample: a span for the call of the model, one for each call of the judge
 * (docs/spec/evaluations.md#traces-of-items).
 * @param calls at least one, in the order in which they began.
 */
export function createItemTrace(
  run: Pick<EvalRunRow, 'id' | 'name' | 'datasetId' | 'repeats'>,
  sample: TracedSample,
  calls: readonly ObservedCall[],
): { trace: Wire<IngestTrace>; spans: Wire<IngestSpan>[] } {
  const id = createTraceId(run.id, sample);
  const { datapointId, repeat } = sample;
  return {
    trace: {
      id,
      name: run.name,
      tags: [EVAL_TAG],
      metadata: {
        eval_run_id: run.id,
        dataset_id: run.datasetId,
        datapoint_id: datapointId,
        ...(run.repeats > 1 && { repeat }),
      },
      started_at: formatTimestamp(calls[0]!.startedAt),
    },
    spans: calls.map((call, index) => toSpan(id, call, index)),
  };
}

function toSpan(traceId: string, observed: ObservedCall, index: number): Wire<IngestSpan> {
  const { asked, scorer, connection, call, startedAt, endedAt, attempts, outcome } = observed;
  const { model, messages, temperature, maxTokens } = call;
  const failed = 'error' in outcome;
  return {
    id: `${traceId}-${index}`,
    trace_id: traceId,
    name: `${asked} call`,
    kind: { type: 'llm_call', model, provider: connection.providerName, ...(!failed && countsOf(outcome.usage)) },
    input: messages,
    output: failed || asked === 'embedding' ? null : { text: outcome.text, finish_reason: outcome.finishReason },
    ...(failed && { error: outcome.error }),
    metadata: {
      connection_id: connection.id,
      attempts,
      latency_ms: failed ? null : outcome.latencyMs,
      temperature: temperature ?? null,
      max_tokens: maxTokens ?? null,
      ...(scorer !== undefined && { scorer }),
      ...(!failed && typeof outcome.usage.cost === 'number' && { cost_source: 'provider' }),
    },
    started_at: formatTimestamp(startedAt),
    ended_at: formatTimestamp(Math.max(startedAt, endedAt)),
  };
}

const countsOf = (usage: Usage) => ({
  input_tokens: null,
  output_tokens: null,
  cached_input_tokens: null,
  reasoning_tokens: null,
  ...usageMembers(usage),
});

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
  async execute(run: EvalRunRow, sample: TracedSample, calls: readonly ObservedCall[]): Promise<string | null> {
    if (calls.length === 0) return null;
    const { trace, spans } = createItemTrace(run, sample, calls);
    const { accepted, rejected } = await this.ingest.execute(projectScope(run.projectId), { traces: [trace], spans });
    if (rejected.length > 0) {
      const facts = { run_id: run.id, datapoint_id: sample.datapointId, rejected };
      this.logger.warn(facts, 'the trace of an item could not be written whole');
    }
    return accepted.traces === 1 ? trace.id : null;
  }
}
