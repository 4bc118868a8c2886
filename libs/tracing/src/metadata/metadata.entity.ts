import { defineEntity, p } from '@mikro-orm/core';

/** Columns of traces and spans for values of indexed keys of their metadata, as {@link MetadataKeySchema} assigns them. */
export const METADATA_COLUMNS = ['metadata1', 'metadata2', 'metadata3', 'metadata4', 'metadata5'] as const;
export type MetadataColumn = (typeof METADATA_COLUMNS)[number];
export type MetadataValues = Record<MetadataColumn, string | null>;

export const metadataProperties = () => ({
  metadata1: p.text().nullable(),
  metadata2: p.text().nullable(),
  metadata3: p.text().nullable(),
  metadata4: p.text().nullable(),
  metadata5: p.text().nullable(),
});

/** An index in list order for each of the columns. Rows without a value are not in it. */
export const metadataIndexes = (table: 'span' | 'trace') =>
  METADATA_COLUMNS.map((column) => ({
    name: `${table}_${column}`,
    properties: ['projectId' as const, column, 'startedAt' as const, 'id' as const],
    where: `${column} is not null`,
  }));

/** No value for any key. */
export const NO_METADATA_VALUES = Object.fromEntries(
  METADATA_COLUMNS.map((column) => [column, null]),
) as unknown as MetadataValues;

/** A key that is indexed, and its column (ADR 0079). */
export const MetadataKeySchema = defineEntity({
  name: 'MetadataKey',
  tableName: 'metadata_key',
  properties: {
    key: p.text().primary(),
    /** The place of its column in {@link METADATA_COLUMNS}. */
    place: p.smallint(),
    /** 1 once the traces and spans that were there before the key was chosen have their values, too. */
    complete: p.smallint(),
  },
});
