import { Inject, Injectable } from '@nestjs/common';
import { getOrMake } from '@spandrel/contract';
import { LOGGER, type Logger, type Scope } from '@spandrel/kernel';
import { of, retry, Subject, tap, type Subscription } from 'rxjs';
import type { EventBatch } from '../log/event-batch.js';
import { EventLogStore } from '../log/event-log.store.js';
import { ProjectFeed } from './project-feed.js';

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

  /** @param batch of a transaction that is durable. */
  publish(batch: EventBatch): void {
    this.committed.next(batch);
  }
}

/** The feeds of the projects that somebody listens to. */
@Injectable()
export class ProjectFeeds {
  private readonly feeds = new Map<string, { feed: ProjectFeed; users: number }>();

  constructor(
    private readonly log: EventLogStore,
    bus: EventBus,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    bus.subscribe((batch) => this.feeds.get(batch.projectId)?.feed.publish(batch));
  }

  /** The feed of a project; it takes what is published from now on, but has not {@link ProjectFeed.begin begun}. */
  acquire(scope: Scope): ProjectFeed {
    const { log, logger } = this;
    const newEntry = () => ({ feed: new ProjectFeed(scope, { log, logger }), users: 0 });
    const entry = getOrMake(this.feeds, scope.projectId, newEntry);
    entry.users++;
    return entry.feed;
  }

  /** Gives back what {@link acquire} gave. */
  release({ scope: { projectId } }: ProjectFeed): void {
    const entry = this.feeds.get(projectId);
    if (!entry || --entry.users > 0) return;
    this.feeds.delete(projectId);
    entry.feed.close();
  }

  /** Takes note that a project has events up to `seq`. */
  learn(projectId: string, seq: number): void {
    this.feeds.get(projectId)?.feed.learn(seq);
  }

  /** Looks in the log for events that no message announced: one query for all feeds. */
  async catchUp(): Promise<void> {
    if (this.feeds.size === 0) return;
    try {
      for (const { projectId, lastSeq } of await this.log.newestOf([...this.feeds.keys()])) {
        this.learn(projectId, lastSeq);
      }
    } catch (error) {
      this.logger.warn({ err: error }, 'the event log could not be read; trying again soon');
    }
  }
}
