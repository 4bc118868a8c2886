import { Injectable } from '@nestjs/common';
import { formatTimestamp, type QueueCounts } from '@spandrel/contract';
import { DatasetStore } from '@spandrel/datasets';
import type { Reader } from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';
import { QUEUE_STATUS } from './queue-item.entity.js';
import { QueueListStore, type StatusCount } from './queue-list.store.js';

type Counts = QueueCounts['datasets'][number];

/** `GET /api/count/queue`: how far the review of each dataset is (docs/spec/queue.md#counting-queues). */
@Injectable()
export class CountQueues {
  constructor(
    private readonly lists: QueueListStore,
    private readonly datasets: DatasetStore,
  ) {}

  /** @returns the datasets that have items, in the order in which the datasets were made. */
  async execute(scope: Scope, reader: Reader): Promise<Counts[]> {
    const byDataset = Map.groupBy(await this.lists.count(scope, reader), ({ datasetId }) => datasetId);
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
