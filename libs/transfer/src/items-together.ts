import { EXPORT_COLLECTIONS, type ExportCollection } from '@spandrel/contract';
import type { Indexed } from '@spandrel/tracing';
import type { ImportItems } from './import-items.js';

/** Items that are to be written together. */
export type ImportBatch = { [Collection in ExportCollection]: Indexed<ImportItems[Collection]>[] };

export const emptyBatch = (): ImportBatch =>
  Object.fromEntries(EXPORT_COLLECTIONS.map((collection) => [collection, []])) as unknown as ImportBatch;
