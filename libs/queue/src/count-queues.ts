import { Injectable } from '@nestjs/common';
import { formatTimestamp, type QueueCounts } from '@spandrel/contract';
import { DatasetStore } from '@spandrel/datasets';
import type { Reader } from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';
import { QUEUE_STATUS } from './queue-item.entity.js';
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

type Counts = QueueCounts['datasets'][number];

/** `GET /api/count/queue`: how far the review of each dataset is (docs/spec/queue.md#counting-queues). */
@Injectable()
export class CountQueues {
  constructor(
    private readonly counts: QueueCountStore,
    private readonly datasets: DatasetStore,
  ) {}

  /** @returns the datasets that have items, in the order in which the datasets were made. */
  async execute(scope: Scope, reader: Reader): Promise<Counts[]> {
    const byDataset = Map.groupBy(await this.counts.count(scope, reader), ({ datasetId }) => datasetId);
    const names = await this.datasets.findNames(scope, [...byDataset.keys()], reader);
    // A dataset without a name was deleted between the two reads.
    return [...byDataset].flatMap(([id, counts]) => {
      const name = names.get(id);
      return name === undefined ? [] : [countsOf(id, name, counts)];
    });
  }
}

function countsOf(datasetId: string, name: string, counts: readonly StatusCount[]): Counts {
  const of = (status: number): StatusCount | undefined => counts.find((count) => count.status === status);
  const pending = of(QUEUE_STATUS.pending);
  return {
    dataset_id: datasetId,
    name,
    pending: pending?.items ?? 0,
    claimed: of(QUEUE_STATUS.claimed)?.items ?? 0,
    completed: of(QUEUE_STATUS.completed)?.items ?? 0,
    oldest_pending_at: pending ? formatTimestamp(pending.oldestAt) : null,
  };
}
