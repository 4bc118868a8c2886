import { Injectable } from '@nestjs/common';
import type { TransactionEnd } from '@spandrel/storage';
import type { EventBatch } from '../log/event-batch.js';

/** Carries committed events to those in this process that pass them on. */
@Injectable()
export class EventBus {
  private readonly listeners: ((batch: EventBatch) => void)[] = [];

  /** @param listener must be quick: a request waits for its answer. */
  subscribe(listener: (batch: EventBatch) => void): void {
    this.listeners.push(listener);
  }

  /** Publishes a batch once its transaction is durable. A listener that fails fails alone ({@link TransactionEnd}). */
  publishAfter(end: TransactionEnd, batch: EventBatch): void {
    for (const listener of this.listeners) end.afterCommit(() => listener(batch));
  }
}
