import { Injectable } from '@nestjs/common';
import type { Scope } from '@spandrel/kernel';
import { integer, shapeOf, Storage, text, type LongReadOptions } from '@spandrel/storage';

const COUNT = shapeOf({ datasetId: text(), status: integer(), items: integer(), oldestAt: integer() });

/** How many items of one status a dataset has, and when the oldest of them was made. */
export interface StatusCount {
  datasetId: string;
  /** {@link QUEUE_STATUS}. */
  status: number;
  items: number;
  /** Milliseconds since 1970. */
  oldestAt: number;
}

/** Counts of queue items. */
@Injectable()
export class QueueCountStore {
  constructor(private readonly storage: Storage) {}

  /**
   * Counts the items of every dataset, each status by itself; nothing for what has none. An index has all that is
   * counted: of the items themselves one a status is read, the oldest.
   */
  count({ projectId }: Scope, options: LongReadOptions = {}): Promise<StatusCount[]> {
    return this.storage.readLong(
      COUNT.query`select c.dataset_id as "datasetId", c.status, c.items, q.created_at as "oldestAt"
        from (
          select dataset_id, status, count(*) as items, min(id) as oldest_id from queue_item
          where project_id = ${projectId} group by dataset_id, status
        ) c join queue_item q on q.project_id = ${projectId} and q.id = c.oldest_id
        order by c.dataset_id, c.status`,
      options,
    );
  }
}
