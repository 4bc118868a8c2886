import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { KEY_LENGTH_MAX, numberOf, SCORE_COMMENT_MAX } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import { aliasOf, ScoresPort } from '@spandrel/tracing';
import { cut, storableText } from '../reading/stored-value.js';
import { EVALUATION } from './log-event.js';
import { OtlpEventStore, type SpanName } from './otlp-event.store.js';
import type { NamedRecord } from './slices-of-read.js';

/** What an evaluation found out about a span; times are nanoseconds since 1970, as text. */
interface Evaluation extends SpanName {
  time: string;
  attributes: Readonly<Record<string, unknown>>;
}

/** Makes evaluation results of spans scores (docs/spec/otlp.md#evaluation-results). */
@Injectable()
export class EvaluationScores {
  constructor(
    private readonly scores: ScoresPort,
    private readonly events: OtlpEventStore,
  ) {}

  /** Writes those of span events, once their spans are stored. @returns when they are durable. */
  async writeOfSpans(scope: Scope, spans: readonly NamedRecord[]): Promise<void> {
    await this.write(
      scope,
      spans.flatMap(({ record: { item } }) =>
        eventsOf(item.metadata)
          .filter(({ name }) => name === EVALUATION)
          .map(({ time_unix_nano: time, attributes }) => ({
            traceId: item.trace_id,
            spanId: item.id,
            time,
            attributes,
          })),
      ),
    );
  }

  /** Writes those of log events that have not met their spans so far, which are stored. @returns when they are durable. */
  async writeOfLogs(scope: Scope, spans: readonly SpanName[]): Promise<void> {
    if (!this.scores.registered) return;
    for await (const rows of this.events.unmerged(scope, spans, EVALUATION)) {
      await this.write(
        scope,
        rows.map(({ event, ...row }) => ({ ...row, attributes: (JSON.parse(event) as Evaluation).attributes })),
      );
    }
  }

  /** One that is no score, as it says nothing or does not fit its definition, stays an event of its span. */
  private async write(scope: Scope, evaluations: readonly Evaluation[]): Promise<void> {
    const { registered } = this.scores;
    if (evaluations.length === 0 || !registered) return;
    const items = evaluations.map(scoreOf);
    const { rejected } = await registered.ingest(scope, items, AUTHOR);
    if (rejected.length === 0) return;
    // The span has this id where another trace has its own.
    const aliased = rejected.map(({ index }) => items[index]!);
    await registered.ingest(
      scope,
      aliased.map((item) => ({ ...item, span_id: aliasOf(item.span_id, item.trace_id) })),
      AUTHOR,
    );
  }
}

/** Who such scores are of: who sent an event is not known any more when its span comes. */
const AUTHOR = 'opentelemetry';

interface StoredEvent {
  name: string;
  time_unix_nano: string;
  attributes: Readonly<Record<string, unknown>>;
}

const eventsOf = (metadata: Readonly<Record<string, unknown>> | null | undefined): readonly StoredEvent[] =>
  (metadata?.['otel'] as { events?: StoredEvent[] } | undefined)?.events ?? [];

/** A score as an ingest has it. Its id is that of the evaluation, however and how often it is sent. */
function scoreOf({ traceId, spanId, time, attributes }: Evaluation) {
  const text = (name: string, lengthMax = KEY_LENGTH_MAX): string | undefined => {
    const value = attributes[name];
    return typeof value === 'string' ? cut(storableText(value), lengthMax) : undefined;
  };
  const name = text('gen_ai.evaluation.name');
  const value = numberOf(attributes['gen_ai.evaluation.score.value']);
  const label = text('gen_ai.evaluation.score.label');
  const key = JSON.stringify([traceId, spanId, BigInt(time).toString(), name, value, label]);
  return {
    id: `otel:${createHash('sha256').update(key).digest('base64url').slice(0, 22)}`,
    ...{ name, value, label: label || undefined, trace_id: traceId, span_id: spanId },
    comment: text('gen_ai.evaluation.explanation', SCORE_COMMENT_MAX) || undefined,
    metadata: { response_id: text('gen_ai.response.id'), error_type: text('error.type') },
  };
}
