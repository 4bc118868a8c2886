import { Module } from '@nestjs/common';
import { EventsModule } from '@spandrel/events';
import { ChangeDatapoints } from './change-datapoints.js';
import { DatapointStore } from './datapoint.store.js';
import { DatasetParticipants } from './dataset-participants.js';
import { DatasetSnapshots } from './dataset-snapshots.js';
import { DatasetStore } from './dataset.store.js';
import { SnapshotStore } from './snapshot.store.js';

/** Datasets, datapoints, their import and export, capture rules. */
@Module({
  imports: [EventsModule],
  providers: [DatasetStore, DatapointStore, SnapshotStore, DatasetParticipants, ChangeDatapoints, DatasetSnapshots],
  exports: [DatasetStore, DatapointStore, DatasetParticipants, ChangeDatapoints, DatasetSnapshots],
})
export class DatasetsModule {}
