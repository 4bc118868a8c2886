import { Injectable } from '@nestjs/common';
import type { EventBatch } from '../log/event-batch.js';

/** Carries committed events to those in this process that pass them on. */
@Injectable()
export class EventBus {
  private readonly listeners: ((batch: EventBatch) => void)[] = [];

  /** @param listener must be quick and must not throw: a request waits for its answer. */
  subscribe(listener: (batch: EventBatch) => void): void {
    this.listeners.push(listener);
  }

  publish(batch: EventBatch): void {
    for (const listener of this.listeners) listener(batch);
  }
}
