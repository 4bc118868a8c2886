import { Injectable } from '@nestjs/common';
import type { RejectedItem, RestoredDatapointVersion } from '@spandrel/contract';
import type { Scope } from '@spandrel/kernel';
import { Storage, type WriteTx } from '@spandrel/storage';
import type { DatapointRow } from '../datapoint.entity.js';
import { DatapointStore } from '../datapoint.store.js';
import type { DatasetRow } from '../dataset.entity.js';
import { DatasetStore } from '../dataset.store.js';
import { DatapointVersionStore, type DatapointSince } from '../snapshots/datapoint-version.store.js';
import { askedOf, datapointRow } from './restore-datasets.js';

type Rejected = RejectedItem<RestoredDatapointVersion>;

interface StoredRange extends VersionRange {
  row: DatapointRow;
}

/**
 * Brings back which datapoints each version of a dataset had, so that eval runs of an export see what they saw. What
 * snapshots see here stays (docs/spec/transfer.md#runs-and-their-snapshots).
 */
@Injectable()
export class RestoreDatapointVersions {
  constructor(
    private readonly storage: Storage,
    private readonly datasets: DatasetStore,
    private readonly datapoints: DatapointStore,
    private readonly versions: DatapointVersionStore,
  ) {}

  /**
   * Writes them in one transaction; the current datapoints have been brought back before. Emits nothing.
   * @returns those without a dataset or datapoint, and those that contradict what is here (`snapshot_conflict`).
   */
  async execute(scope: Scope, restored: readonly RestoredDatapointVersion[]): Promise<Rejected[]> {
    const byDataset = Map.groupBy(restored, ({ dataset_id: datasetId }) => datasetId);
    return this.storage.write(async (tx) => {
      const rejected: Rejected[] = [];
      for (const [datasetId, items] of [...byDataset].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
        const dataset = await this.datasets.findForWrite(tx, scope, datasetId);
        if (dataset) rejected.push(...(await this.restoreInto(tx, scope, dataset, items)));
        else rejected.push(...items.map((item) => ({ item, ...NO_DATASET })));
      }
      return rejected;
    });
  }

  private async restoreInto(
    tx: WriteTx,
    scope: Scope,
    dataset: DatasetRow,
    items: readonly RestoredDatapointVersion[],
  ): Promise<Rejected[]> {
    const ranges = await this.ranges(tx, scope, dataset.id, items);
    const rejected: Rejected[] = [];
    const added: DatapointRow[] = [];
    const since = new Map<string, DatapointSince>();
    for (const item of items) {
      const there = ranges.get(item.datapoint_id) ?? [];
      const restored = item.datapoint && datapointRow(scope, item.datapoint, item.from_version);
      const asked = restored ? askedOf(restored) : '';
      const given = { from: item.from_version, to: item.to_version, asked };
      const placement = placementOf(there, given, dataset);
      if (placement.type === 'missing') rejected.push({ item, ...NO_DATAPOINT });
      if (placement.type === 'conflict') rejected.push({ item, ...CONFLICT });
      if (placement.type === 'add') {
        const row = { ...restored!, fromVersion: placement.from, toVersion: placement.to };
        added.push(row);
        ranges.set(item.datapoint_id, [...there, { from: placement.from, to: placement.to, asked, row }]);
      }
      if (placement.type === 'lengthen') {
        since.set(item.datapoint_id, { id: item.datapoint_id, version: placement.from });
        placement.range.from = placement.from;
      }
      if (placement.type === 'shorten') {
        const { row } = placement.range;
        await this.datapoints.deleteRow(tx, row);
        added.push({ ...row, toVersion: placement.to });
        placement.range.to = placement.to;
      }
    }
    await this.versions.setSince(tx, scope, dataset.id, [...since.values()]);
    await this.datapoints.insert(tx, added);
    return rejected;
  }

  private async ranges(
    tx: WriteTx,
    scope: Scope,
    datasetId: string,
    items: readonly RestoredDatapointVersion[],
  ): Promise<Map<string, StoredRange[]>> {
    const ids = [...new Set(items.map(({ datapoint_id: id }) => id))];
    const rows = await this.versions.findForWrite(tx, scope, datasetId, ids);
    const ranges: StoredRange[] = [];
    for (const row of rows) {
      const brought = row.importId === null ? undefined : await this.datapoints.importOf(tx, scope, row.importId);
      const from = brought?.publishedVersion ?? row.fromVersion;
      ranges.push({ from, to: row.toVersion, asked: askedOf(row), row });
    }
    return Map.groupBy(ranges, ({ row }) => row.id);
  }
}

/** A datapoint that a file brought here begins with the import of that file. */
function placementOf(there: readonly StoredRange[], given: VersionRange, dataset: DatasetRow): Placement<StoredRange> {
  const placement = placeVersion(there, given, dataset);
  const isImported = placement.type === 'lengthen' && placement.range.row.importId !== null;
  return isImported ? { type: 'conflict' } : placement;
}

const NO_DATASET = { code: 'dataset_not_found', message: 'there is no dataset with this dataset_id' };
const NO_DATAPOINT = { code: 'datapoint_not_found', message: 'the dataset has no datapoint with this datapoint_id' };
const CONFLICT = {
  code: 'snapshot_conflict',
  message: 'the dataset has another history here, which eval runs rely on or which the file contradicts',
};

/** A datapoint in a range of versions of its dataset: `[from, to)`, open while it is the current one. */
export interface VersionRange {
  from: number;
  to: number | null;
  /** What versions distinguish in it. */
  asked: string;
}

type Placement<Range extends VersionRange> =
  | { type: 'there' }
  | { type: 'add'; from: number; to: number }
  /** The one that is here ends earlier. */
  | { type: 'shorten'; range: Range; to: number }
  /** The current one begins earlier. */
  | { type: 'lengthen'; range: Range; from: number }
  | { type: 'conflict' }
  /** There is no current datapoint. */
  | { type: 'missing' };

/**
 * Where a version of a datapoint goes beside those that are here. What snapshots see here stays as it is: nothing changes
 * at versions up to the pinned one.
 * @param there the ranges of this datapoint.
 * @param given `asked` is left aside for the current one, which has been brought back before.
 */
export function placeVersion<Range extends VersionRange>(
  there: readonly Range[],
  given: VersionRange,
  { version, pinnedVersion }: { version: number; pinnedVersion: number },
): Placement<Range> {
  // The datapoint may have changed while the export was being written, in versions that the file does not have.
  const from = Math.min(given.from, version);
  const overlaps = (begin: number, end: number, but?: VersionRange): boolean =>
    there.some((one) => one !== but && one.from < end && (one.to === null || one.to > begin));
  if (given.to === null) {
    const current = there.find(({ to }) => to === null);
    if (!current) return { type: 'missing' };
    if (current.from === from) return { type: 'there' };
    const isFree = current.from > from && from > pinnedVersion && !overlaps(from, current.from, current);
    return isFree ? { type: 'lengthen', range: current, from } : { type: 'conflict' };
  }
  const to = Math.min(given.to, version);
  if (from >= to) return { type: 'there' };
  const same = there.find((one) => one.from === from && one.asked === given.asked);
  if (same?.to === to) return { type: 'there' };
  if (same && same.to !== null && same.to > to && to > pinnedVersion) return { type: 'shorten', range: same, to };
  return from > pinnedVersion && !overlaps(from, to) ? { type: 'add', from, to } : { type: 'conflict' };
}
