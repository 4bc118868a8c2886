import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DomainEvents, type WireEvent } from '@spandrel/events';
import type { WriteTx } from '@spandrel/storage';
import { SpanCommitParticipants, type SpanCommitParticipant, type TracingChange } from './span-commit-participant.js';
import { spanJson } from '../span-json.js';
import { traceJson } from '../trace-resource.js';

/** Emits events of traces and spans in the transactions that write them (docs/spec/events.md#event-types). */
@Injectable()
export class TracingEvents implements SpanCommitParticipant, OnModuleInit {
  readonly name = 'events';

  constructor(
    private readonly participants: SpanCommitParticipants,
    private readonly events: DomainEvents,
  ) {}

  onModuleInit(): void {
    this.participants.register(this);
  }

  async onCommit(tx: WriteTx, changes: readonly TracingChange[]): Promise<void> {
    for (const some of Map.groupBy(changes, ({ scope }) => scope.projectId).values()) {
      const events = some.flatMap((change) => eventOf(change) ?? []);
      if (events.length > 0) await this.events.emitWire(tx, some[0]!.scope, events);
    }
  }
}

/** The event of a change; some changes have none (docs/spec/events.md#what-has-no-event). */
function eventOf(change: TracingChange): WireEvent | undefined {
  const { type } = change;
  switch (type) {
    case 'trace_created':
      return { type, json: `{"type":"${type}","trace":${traceJson(change.trace)}}` };
    case 'trace_deleted':
      return { type, json: JSON.stringify({ type, trace_id: change.trace.id }) };
    case 'cleared':
      return { type, json: JSON.stringify({ type }) };
    case 'span_created':
    case 'span_completed':
    case 'span_failed':
      return { type, json: `{"type":"${type}","span":${spanJson(change.after)}}` };
    case 'span_deleted':
      return { type, json: JSON.stringify({ type, span_id: change.before.id }) };
    default:
      return undefined;
  }
}
