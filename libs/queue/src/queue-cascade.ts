import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DatasetParticipants, type DatapointsDeletion, type DatasetParticipant } from '@spandrel/datasets';
import type { Scope } from '@spandrel/kernel';
import type { WriteTx } from '@spandrel/storage';
import { QueueItemStore } from './queue-item.store.js';

/** Queue items go with their datapoints and with their dataset. */
@Injectable()
export class QueueCascade implements DatasetParticipant, OnModuleInit {
  readonly name = 'queue';

  constructor(
    private readonly participants: DatasetParticipants,
    private readonly items: QueueItemStore,
  ) {}

  onModuleInit(): void {
    this.participants.register(this);
  }

  beforeDatapointsDelete(tx: WriteTx, { scope, datasetId, datapointIds }: DatapointsDeletion): Promise<void> {
    return this.items.deleteOfDatapoints(tx, scope, datasetId, datapointIds);
  }

  beforeDatasetDelete(tx: WriteTx, { scope, datasetId }: { scope: Scope; datasetId: string }): Promise<void> {
    return this.items.deleteOfDataset(tx, scope, datasetId);
  }
}
