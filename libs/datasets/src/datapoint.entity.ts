import { defineEntity, p } from '@mikro-orm/core';
import { entityOf, tableOf, type RowOf } from '@spandrel/storage';
import { DATAPOINT_SOURCES, type DatapointSource } from '@spandrel/contract';

/**
 * A datapoint as it was in a range of dataset versions: `[fromVersion, toVersion)`, open while it is the current one.
 * A change closes the row and adds another when a snapshot may need it, and replaces it otherwise (ADR 0007). The key
 * is also the order in which datapoints were made, so that a dataset is read and filled from one end to the other.
 */
export const DatapointSchema = defineEntity({
  name: 'Datapoint',
  tableName: 'datapoint',
  properties: {
    projectId: p.text().primary(),
    datasetId: p.text().primary(),
    id: p.text().primary(),
    /** 0 in a row of an import: it counts from the version that published the import. */
    fromVersion: p.bigint('number').primary(),
    toVersion: p.bigint('number').nullable(),
    /** The import that brought the row, visible once that is published. */
    importId: p.text().nullable(),
    /** {@link SOURCE}. */
    source: p.smallint(),
    sourceSpanId: p.text().nullable(),
    /** JSON, as the caller sent it. */
    kind: p.text(),
    /** The newest result of a run: a JSON string that stands for the `actual_output` of `kind`, with the score. */
    resultOutput: p.text().nullable(),
    resultScore: p.double().$type<number>().nullable(),
    createdAt: p.bigint('number'),
    updatedAt: p.bigint('number'),
  },
  indexes: [
    { name: 'datapoint_closed', properties: ['projectId', 'datasetId'], where: 'to_version is not null' },
    { name: 'datapoint_source', properties: ['projectId', 'sourceSpanId'], where: 'source_span_id is not null' },
  ],
});

export type DatapointRow = RowOf<typeof DatapointSchema>;
export const Datapoint = entityOf(DatapointSchema);

/**
 * An import of a file. Its datapoints are written in many transactions and become visible in one, which sets
 * `publishedVersion`; an import that its process did not live to publish is taken back (ADR 0007).
 */
export const DatasetImportSchema = defineEntity({
  name: 'DatasetImport',
  tableName: 'dataset_import',
  properties: {
    projectId: p.text().primary(),
    id: p.text().primary(),
    datasetId: p.text(),
    publishedVersion: p.bigint('number').nullable(),
    /** 1 while rows are still to be announced or taken back. */
    unfinished: p.smallint(),
    /** The last datapoint that `datapoint_created` was emitted for. */
    announcedThrough: p.text().nullable(),
    /** Moment until which the process that works on it counts as alive. */
    leaseUntil: p.bigint('number'),
  },
  indexes: [
    { name: 'dataset_import_dataset', properties: ['projectId', 'datasetId'] },
    { name: 'dataset_import_unfinished', properties: ['leaseUntil'], where: 'unfinished = 1' },
  ],
});

export type DatasetImportRow = RowOf<typeof DatasetImportSchema>;
export const DatasetImport = entityOf(DatasetImportSchema);

/** A datapoint of a selection: an eval run that takes some datapoints of its snapshot alone has one. */
export const DatapointSelectionSchema = defineEntity({
  name: 'DatapointSelection',
  tableName: 'datapoint_selection',
  properties: {
    projectId: p.text().primary(),
    /** That of the run. */
    id: p.text().primary(),
    datapointId: p.text().primary(),
  },
});

/** Sources of datapoints as the table holds them. */
export const SOURCE = { manual: 0, span_export: 1, file_upload: 2 } as const satisfies Record<DatapointSource, number>;

export const sourceName = (source: number): DatapointSource => DATAPOINT_SOURCES[source] ?? 'manual';

export const datapointTable = tableOf(DatapointSchema, ['projectId', 'datasetId', 'id', 'fromVersion']);
export const datapointSelectionTable = tableOf(DatapointSelectionSchema, ['projectId', 'id', 'datapointId']);
export const datasetImportTable = tableOf(DatasetImportSchema, ['projectId', 'id']);
