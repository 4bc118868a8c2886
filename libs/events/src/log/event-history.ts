import { Injectable } from '@nestjs/common';
import type { WriteTx } from '@spandrel/storage';
import { EventLogStore, type ToldEvents } from './event-log.store.js';

/** What the log has of some projects: for features whose data events refer to. */
@Injectable()
export class EventHistory {
  constructor(private readonly store: EventLogStore) {}

  /**
   * What was told of some projects so far; nothing of those of which the log has no event. The events of the open
   * transaction are not yet among them.
   */
  of(tx: WriteTx, projectIds: readonly string[]): Promise<ToldEvents[]> {
    return this.store.told(tx, projectIds);
  }

  /** The number of the oldest event of a project that the log has, or of the next one where it has none. */
  oldest(projectId: string): Promise<number> {
    return this.store.oldest(projectId);
  }
}
