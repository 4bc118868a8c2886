import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DatasetParticipants, type DatasetParticipant } from '@spandrel/datasets';
import type { Scope } from '@spandrel/kernel';
import type { WriteTx } from '@spandrel/storage';
import { QueueItemStore } from './queue-item.store.js';

/** Queue items go with their datapoint and with their dataset. */
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

  beforeDatapointDelete(
    tx: WriteTx,
    { scope, datasetId, datapointId }: { scope: Scope; datasetId: string; datapointId: string },
  ): Promise<void> {
    return this.items.deleteOfDatapoint(tx, scope, datasetId, datapointId);
  }

  beforeDatasetDelete(tx: WriteTx, { scope, datasetId }: { scope: Scope; datasetId: string }): Promise<void> {
    return this.items.deleteOfDataset(tx, scope, datasetId);
  }
}
