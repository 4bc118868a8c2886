import { Injectable } from '@nestjs/common';
import type { EventPayload, EventType } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import type { WriteTx } from '@spandrel/storage';

export interface WireEvent {
  readonly type: EventType;
  /** The {@link EventPayload} as JSON, on one line, beginning with its `type`. */
  readonly json: string;
}

/** Takes the events of a transaction, as part of it: an event exists if and only if its change was committed. */
export interface EventSink {
  readonly name: string;
  /** @param events at least one, in the order they happened. A throw loses the transaction. */
  take(tx: WriteTx, scope: Scope, events: readonly WireEvent[]): Promise<void>;
}

/** The hub to which features emit events (docs/spec/events.md#an-event-exists-if-its-change-was-committed). */
@Injectable()
export class DomainEvents {
  private readonly sinks: EventSink[] = [];

  register(sink: EventSink): void {
    this.sinks.push(sink);
  }

  /** Emits the events of a change, in the transaction that makes it. */
  async emit(tx: WriteTx, scope: Scope, ...events: readonly EventPayload[]): Promise<void> {
    await this.emitWire(
      tx,
      scope,
      events.map((event) => ({ type: event.type, json: JSON.stringify(event) })),
    );
  }

  /** Emits like {@link emit}, for a caller that has the JSON already. */
  async emitWire(tx: WriteTx, scope: Scope, events: readonly WireEvent[]): Promise<void> {
    if (events.length === 0) return;
    for (const sink of this.sinks) await sink.take(tx, scope, events);
  }
}
