import { Inject, Injectable } from '@nestjs/common';
import { formatTimestamp, TRY_TAG, type TryEvent, type TryRun } from '@spandrel/contract';
import { DomainError, LOGGER, newId, type Logger, type Scope } from '@spandrel/kernel';
import { choiceMembers, usageMembers } from '@spandrel/plugin-api';
import { estimateCost, Ingest, PRICING, type PricingTable } from '@spandrel/tracing';
import type { PlannedTry } from './plan-try.js';
import { streamAnswer, type TriedAnswer } from './stream-answer.js';

interface TryOptions {
  /** Fires with why the call is given up. */
  signal: AbortSignal;
  /** Sends an event; the answer is read no further until it resolves. */
  emit(event: TryEvent): Promise<void>;
}

/** Makes the calls of a try one after another, and records each one (docs/spec/replay.md#what-is-recorded). */
@Injectable()
export class MakeTry {
  constructor(
    private readonly ingest: Ingest,
    @Inject(PRICING) private readonly pricing: PricingTable,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** @throws DomainError `bad_gateway` when a call fails before anything was emitted; a later failure is emitted. */
  async execute(scope: Scope, planned: PlannedTry, { signal, emit }: TryOptions): Promise<void> {
    const { traceId, connection, call } = planned;
    const runs: TryRun[] = [];
    let hasBegun = false;
    for (let run = 0; run < planned.runs; run++) {
      const ofRun = { run, trace_id: traceId, span_id: newId() };
      const startedAt = Date.now();
      let isBegun = false;
      const begin = async (): Promise<void> => {
        if (!isBegun) await emit({ type: 'begun', ...ofRun });
        hasBegun = isBegun = true;
      };
      const onDelta = async (delta: object): Promise<void> => {
        await begin();
        await emit({ type: 'delta', run, ...delta });
      };
      const tried = await streamAnswer(connection, call, { signal, onDelta });
      await this.record(scope, planned, { spanId: ofRun.span_id, startedAt, tried });
      if (tried.error !== undefined) {
        if (!hasBegun) throw new DomainError('bad_gateway', tried.error);
        return emit({ type: 'error', ...ofRun, code: 'bad_gateway', detail: tried.error });
      }
      await begin();
      const done = this.toRun(run, ofRun.span_id, call.model, tried);
      runs.push(done);
      await emit({ type: 'run', ...done });
    }
    await emit({ type: 'done', trace_id: traceId, runs });
  }

  private toRun(run: number, spanId: string, model: string, tried: TriedAnswer): TryRun {
    const { usage, model: answered } = tried.answer;
    const { input_tokens: input = null, output_tokens: output = null, cost } = usageMembers(usage);
    return {
      ...{ run, span_id: spanId, model: answered ?? model, output: choiceMembers(tried.answer) },
      ...{ input_tokens: input, output_tokens: output, cost: cost ?? estimateCost(this.pricing, model, usage) },
      ...{ latency_ms: tried.latencyMs, time_to_first_token_ms: tried.firstTokenMs },
    };
  }

  /** Writes a call as a span of its trace. What cannot be written is logged: its answer is on the way already. */
  private async record(scope: Scope, { connection, call, traceId, spanId: origin }: PlannedTry, made: MadeCall) {
    const { spanId, startedAt, tried } = made;
    const { model, messages, temperature, maxTokens, tools = [], parameters } = call;
    const { usage, model: answered } = tried.answer;
    const started = formatTimestamp(startedAt);
    const { output_tokens: output = null, input_tokens: input = null, ...others } = usageMembers(usage);
    const span = {
      id: spanId,
      trace_id: traceId,
      name: model,
      kind: {
        ...{ type: 'llm_call', model, provider: connection.providerName },
        ...{ input_tokens: input, output_tokens: output, ...others },
      },
      input: messages,
      output: choiceMembers(tried.answer),
      ...(tried.error !== undefined && { error: tried.error }),
      metadata: {
        connection_id: connection.id,
        tried_span_id: origin,
        streaming: tried.isStreamed,
        time_to_first_token_ms: tried.firstTokenMs,
        response_model: answered,
        request: {
          ...parameters,
          ...(temperature !== undefined && { temperature }),
          ...(maxTokens !== undefined && { max_tokens: maxTokens }),
          ...(tools.length > 0 && { tools }),
        },
        ...(typeof others.cost === 'number' && { cost_source: 'provider' }),
      },
      started_at: started,
      ended_at: formatTimestamp(startedAt + tried.latencyMs),
    };
    const trace = { id: traceId, tags: [TRY_TAG], defaults: { name: `Try: ${model}`, started_at: started } };
    try {
      const { rejected } = await this.ingest.execute(scope, { traces: [trace], spans: [span] });
      if (rejected.length > 0) this.logger.warn({ trace_id: traceId, rejected }, 'a try could not be recorded whole');
    } catch (error) {
      this.logger.error({ err: error, trace_id: traceId }, 'a try could not be recorded');
    }
  }
}

interface MadeCall {
  spanId: string;
  startedAt: number;
  tried: TriedAnswer;
}
