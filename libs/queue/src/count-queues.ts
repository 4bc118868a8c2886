import { Injectable } from '@nestjs/common';
import { formatTimestamp, type QueueCounts } from '@spandrel/contract';
import { DatasetStore } from '@spandrel/datasets';
import type { Scope } from '@spandrel/kernel';
import { OF_TARGETS, QUEUE_STATUS } from './queue-item.entity.js';
import { QueueListStore, type StatusCount } from './queue-list.store.js';

/** `GET /api/count/queue`: how far the review of each queue is (docs/spec/queue.md#counting-queues). */
@Injectable()
export class CountQueues {
  constructor(
    private readonly lists: QueueListStore,
    private readonly datasets: DatasetStore,
  ) {}

  /** @returns the datasets that have items, in the order in which the datasets were made. */
  async execute(scope: Scope): Promise<QueueCounts> {
    const byDataset = Map.groupBy(await this.lists.count(scope), ({ datasetId }) => datasetId);
    const names = await this.datasets.findNames(scope, [...byDataset.keys()]);
    // A dataset without a name was deleted between the two reads.
    const datasets = [...byDataset].flatMap(([id, counts]) => {
      const name = names.get(id);
      return name === undefined ? [] : [{ dataset_id: id, name, ...countsOf(counts) }];
    });
    const targets = byDataset.get(OF_TARGETS);
    return { datasets, count: datasets.length, ...(targets && { targets: countsOf(targets) }) };
  }
}

function countsOf(counts: readonly StatusCount[]) {
  const of = (status: number): StatusCount | undefined => counts.find((count) => count.status === status);
  const pending = of(QUEUE_STATUS.pending);
  return {
    pending: pending?.items ?? 0,
    claimed: of(QUEUE_STATUS.claimed)?.items ?? 0,
    completed: of(QUEUE_STATUS.completed)?.items ?? 0,
    oldest_pending_at: pending ? formatTimestamp(pending.oldestAt) : null,
  };
}
