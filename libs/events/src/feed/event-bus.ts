import { Inject, Injectable } from '@nestjs/common';
import { LOGGER, type Logger } from '@spandrel/kernel';
import type { TransactionEnd } from '@spandrel/storage';
import { of, retry, Subject, tap, type Subscription } from 'rxjs';
import type { EventBatch } from '../log/event-batch.js';

/** Carries committed events to those in this process that pass them on. */
@Injectable()
export class EventBus {
  private readonly committed = new Subject<EventBatch>();

  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  /**
   * Calls `listener` with every batch from now on. It must be quick, as a request waits for its answer. One that throws
   * fails alone, and is called with the next batch.
   */
  subscribe(listener: (batch: EventBatch) => void): Subscription {
    const delay = (error: unknown) => {
      this.logger.error({ err: error }, 'events could not be passed on in this process');
      return of(true);
    };
    return this.committed.pipe(tap(listener), retry({ delay })).subscribe();
  }

  /** Publishes a batch once its transaction is durable. */
  publishAfter(end: TransactionEnd, batch: EventBatch): void {
    end.afterCommit(() => this.committed.next(batch));
  }
}
