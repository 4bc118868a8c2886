import { EXPORT_COLLECTIONS, type ExportCollection, type ImportJsonResult } from '@spandrel/contract';
import type { OpenVersion } from '@spandrel/datasets';
import { SeenIds } from './seen-ids.js';

/** Items that an answer lists one by one. */
const REJECTED_LISTED_MAX = 1_000;
/** Bytes for the ids of what a project has thousands of at most. */
const FEW = 512 * 1024;

/** What has become of an import so far. */
export class ImportProgress {
  readonly result: ImportJsonResult = {
    imported: Object.fromEntries(EXPORT_COLLECTIONS.map((collection) => [collection, 0])) as Record<
      ExportCollection,
      number
    >,
    rejected: [],
    rejected_count: 0,
  };
  /** The version that datapoints are being brought back under. */
  open: OpenVersion | undefined;
  /** Datasets that have another history here than in the file. */
  readonly otherDatasets = new SeenIds(FEW);
  /** Runs that are as in the file. */
  readonly takenRuns = new SeenIds(FEW);

  /** @param exportedAt of the file, in ms; `undefined` when it does not say. */
  constructor(readonly exportedAt: number | undefined) {}

  reject(item: ImportJsonResult['rejected'][number]): void {
    this.result.rejected_count++;
    if (this.result.rejected.length < REJECTED_LISTED_MAX) this.result.rejected.push(item);
  }

  /** What was imported, in words. */
  toString(): string {
    const counts = EXPORT_COLLECTIONS.map((collection) => [this.result.imported[collection], collection] as const);
    const words = counts.filter(([count]) => count > 0).map(([count, name]) => `${count} ${name.replace('_', ' ')}`);
    return words.length === 0 ? 'nothing' : words.join(', ');
  }
}
