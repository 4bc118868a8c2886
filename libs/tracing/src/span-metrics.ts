import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { Counter, type Registry } from '@prometheus-io/client';
import { METRICS } from '@spandrel/kernel';
import {
  SpanCommitParticipants,
  type SpanCommitParticipant,
  type TracingChange,
} from './write/span-commit-participant.js';

/** What is counted. Deletes of whole traces are one change each. */
const COUNTED = [
  'trace_created',
  'trace_deleted',
  'cleared',
  'span_created',
  'span_completed',
  'span_failed',
  'span_corrected',
  'span_deleted',
] as const satisfies TracingChange['type'][];

/** Counts what becomes of traces and spans, once it is durable. */
@Injectable()
export class SpanMetrics implements SpanCommitParticipant, OnModuleInit {
  readonly name = 'metrics';
  private readonly counts: ReadonlyMap<TracingChange['type'], Counter.Internal>;

  constructor(
    private readonly participants: SpanCommitParticipants,
    @Inject(METRICS) registry: Registry,
  ) {
    const changes = new Counter({
      name: 'spandrel_tracing_changes_total',
      help: 'Durable changes of traces and spans, by change.',
      labelNames: ['change'] as const,
      registers: [registry],
    });
    this.counts = new Map(COUNTED.map((change) => [change, changes.labels({ change })]));
  }

  onModuleInit(): void {
    this.participants.register(this);
  }

  afterCommit(changes: readonly TracingChange[]): void {
    for (const { type } of changes) this.counts.get(type)?.inc();
  }
}
