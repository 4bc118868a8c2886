import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DomainEvents, type ShortEvent, type WireEvent } from '@spandrel/events';
import type { Scope } from '@spandrel/kernel';
import type { WriteTx } from '@spandrel/storage';
import { mayRefer } from '../event-texts/event-text.store.js';
import { LastForms } from '../event-texts/last-forms.js';
import { eventJson, shortSpanEvent } from '../event-texts/short-span.js';
import { SpanCommitParticipants, type SpanCommitParticipant } from './span-commit-participant.js';
import { SpanJson } from '../span-json.js';
import type { StoredSpan } from '../span.entity.js';
import { traceJson } from '../trace-resource.js';
import type { TracingChange } from './tracing-change.js';

/** Tells of traces and spans in the transactions that write them (docs/spec/events.md#event-types). */
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
    const byProject = new Map<string, { scope: Scope; events: WireEvent[] }>();
    const last = new LastForms(changes);
    const now = Date.now();
    for (const change of changes) {
      const event = eventOf(change, last, now);
      if (!event) continue;
      const { scope } = change;
      const ofProject = byProject.get(scope.projectId);
      if (ofProject) ofProject.events.push(event);
      else byProject.set(scope.projectId, { scope, events: [event] });
    }
    for (const { scope, events } of byProject.values()) await this.events.emitWire(tx, scope, events);
  }
}

/** The event of a change; some changes have none (docs/spec/events.md#what-has-no-event). */
function eventOf(change: TracingChange, last: LastForms, now: number): WireEvent | undefined {
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
      return spanEvent(type, change.after, last.of(change.after), now);
    case 'span_deleted':
      return { type, json: JSON.stringify({ type, span_id: change.before.id }) };
    default:
      return undefined;
  }
}

type SpanEventType = 'span_created' | 'span_completed' | 'span_failed';

/** @param kept the span at the end of the transaction; `null` when it is gone by then. */
function spanEvent(type: SpanEventType, span: StoredSpan, kept: StoredSpan | null, now: number): WireEvent {
  const json = new SpanJson(span);
  const refers = kept !== null && mayRefer(kept.startedAt, now);
  const short = refers ? shortSpanEvent(type, span, json, kept) : undefined;
  return short ? new ShortSpanEvent(type, json, short) : { type, json: eventJson(type, json.whole) };
}

/** An event whose JSON is made for those who listen: the log takes the short form. */
class ShortSpanEvent implements WireEvent {
  constructor(
    readonly type: SpanEventType,
    private readonly span: SpanJson,
    readonly short: ShortEvent,
  ) {}

  get json(): string {
    return eventJson(this.type, this.span.whole);
  }
}
