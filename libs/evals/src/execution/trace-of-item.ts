import { createHash } from 'node:crypto';
import { EVAL_TAG, formatTimestamp, type IngestSpan, type IngestTrace } from '@spandrel/contract';
import type { EvalRunRow } from '../eval-run.entity.js';
import type { SampleKey } from '../running-items.js';
import type { NotedCall } from './note-call.js';

type TracedRun = Pick<EvalRunRow, 'id' | 'name' | 'datasetId' | 'repeats'>;

/** Timestamps as the wire has them. */
type Wire<Item> = Omit<Item, 'started_at' | 'ended_at'> & { started_at: string; ended_at?: string };

/** The trace of the calls for one sample of an item and its spans, as ingest takes them. */
export interface ItemTrace {
  trace: Wire<IngestTrace>;
  spans: Wire<IngestSpan>[];
}

/** Hexadecimal digits of an id: as many as OpenTelemetry's trace ids have. */
const ID_DIGITS = 32;

/** The id of a sample's trace, the same whoever works on it and however often. */
function traceIdOf(runId: string, { datapointId, repeat }: SampleKey): string {
  const name = repeat === 0 ? `${runId}\0${datapointId}` : `${runId}\0${datapointId}\0${repeat}`;
  return createHash('sha256').update(name).digest('hex').slice(0, ID_DIGITS);
}

/**
 * The trace of a sample: a span for the call of the model, one for each call of the judge
 * (docs/spec/evaluations.md#traces-of-items).
 * @param calls at least one, in the order in which they began.
 */
export function traceOfItem(run: TracedRun, sample: SampleKey, calls: readonly NotedCall[]): ItemTrace {
  const id = traceIdOf(run.id, sample);
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
    spans: calls.map((call, index) => spanOf(id, call, index)),
  };
}

function spanOf(traceId: string, noted: NotedCall, index: number): Wire<IngestSpan> {
  const { asked, scorer, connection, call, startedAt, endedAt, attempts, outcome } = noted;
  const { model, messages, temperature, maxTokens } = call;
  const failed = 'error' in outcome;
  return {
    id: `${traceId}-${index}`,
    trace_id: traceId,
    name: `${asked} call`,
    kind: { type: 'llm_call', model, provider: connection.providerName, ...(!failed && countsOf(outcome.usage)) },
    input: messages,
    output: failed ? null : { text: outcome.text, finish_reason: outcome.finishReason },
    ...(failed && { error: outcome.error }),
    metadata: {
      connection_id: connection.id,
      attempts,
      latency_ms: failed ? null : outcome.latencyMs,
      temperature: temperature ?? null,
      max_tokens: maxTokens ?? null,
      ...(scorer !== undefined && { scorer }),
    },
    started_at: formatTimestamp(startedAt),
    ended_at: formatTimestamp(Math.max(startedAt, endedAt)),
  };
}

const countsOf = (usage: Exclude<NotedCall['outcome'], { error: string }>['usage']) => ({
  input_tokens: usage.inputTokens,
  output_tokens: usage.outputTokens,
  cached_input_tokens: usage.cachedInputTokens,
  reasoning_tokens: usage.reasoningTokens,
});
