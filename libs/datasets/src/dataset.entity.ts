import { defineEntity, p } from '@mikro-orm/core';
import { entityOf, tableOf, type RowOf } from '@spandrel/storage';

export const DatasetSchema = defineEntity({
  name: 'Dataset',
  tableName: 'dataset',
  properties: {
    projectId: p.text().primary(),
    id: p.text().primary(),
    name: p.text(),
    description: p.text().nullable(),
    datapointCount: p.bigint('number'),
    /** Raised by every transaction that changes datapoints. */
    version: p.bigint('number'),
    /** The newest version that a snapshot was taken of; datapoints up to it are kept when they change. 0: none. */
    pinnedVersion: p.bigint('number'),
    createdAt: p.bigint('number'),
    updatedAt: p.bigint('number'),
  },
});

export type DatasetRow = RowOf<typeof DatasetSchema>;
export const Dataset = entityOf(DatasetSchema);

export const datasetTable = tableOf(DatasetSchema, ['projectId', 'id']);
