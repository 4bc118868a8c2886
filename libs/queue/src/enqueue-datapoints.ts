import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { dottedPath, isStorableText } from '@spandrel/contract';
import { datapointKind, DatapointStore, datasetNotFound, DatasetStore } from '@spandrel/datasets';
import { Invalid, newId, NotFound, type Scope } from '@spandrel/kernel';
import { maskDatapoint, ProjectMasking, type BoundedMasking } from '@spandrel/masking';
import { Storage, type WriteTx } from '@spandrel/storage';
import { type QueueItemRow, QUEUE_STATUS } from './queue-item.entity.js';
import { QueueItemStore } from './queue-item.store.js';

/** Datapoints that are brought into memory at once, before it is known how large they are. */
const DATAPOINTS_AT_ONCE = 16;

/** Text of all items that one request may enqueue or be answered with, about: the answer shows them whole. */
const ENQUEUE_TEXT_MAX = 64 * 1024 * 1024;

/** An id that a client made up may be of any length. */
const SHOWN_ID_LENGTH_MAX = 128;

/** The open items of datapoints. */
interface EnqueuedRows {
  items: QueueItemRow[];
  /** How many of them were there before. */
  existing: number;
}

/** `POST /api/datasets/:id/queue`. */
@Injectable()
export class EnqueueDatapoints {
  constructor(
    private readonly storage: Storage,
    private readonly datasets: DatasetStore,
    private readonly datapoints: DatapointStore,
    private readonly items: QueueItemStore,
    private readonly masking: ProjectMasking,
  ) {}

  /**
   * Makes a pending item for each datapoint that has none open, all or nothing
   * (docs/spec/queue.md#enqueuing-datapoints).
   * @returns the open item of each datapoint, new or not, in the order of first mention, and how many are not new.
   * @throws NotFound `dataset_not_found`; `datapoint_not_found` with every id there is no datapoint for. Invalid
   *   `payload_too_large` when the items are too large for one answer.
   */
  async execute(scope: Scope, datasetId: string, datapointIds: readonly string[]): Promise<EnqueuedRows> {
    const ids = [...new Set(datapointIds)];
    const masking = await this.masking.of(scope);
    return this.storage.write(async (tx) => {
      // Locked, so that nobody else enqueues the same datapoints or deletes them meanwhile.
      if (!(await this.datasets.findForWrite(tx, scope, datasetId))) throw datasetNotFound();
      const items = new Map<string, QueueItemRow>();
      let [length, existing] = [0, 0];
      for (let at = 0; at < ids.length; at += DATAPOINTS_AT_ONCE) {
        const storable = ids.slice(at, at + DATAPOINTS_AT_ONCE).filter(isStorableText);
        const { open, made } = await this.itemsOf(tx, scope, { datasetId, masking }, storable);
        existing += open.length;
        for (const item of [...open, ...made]) {
          items.set(item.datapointId, item);
          length += item.originalData.length;
        }
        if (length > ENQUEUE_TEXT_MAX) throw tooLarge();
        await nextTurn();
      }
      if (items.size < ids.length) throw unknownDatapoints(datapointIds, items);
      return { items: ids.map((id) => items.get(id)!), existing };
    });
  }

  /** The open items of datapoints, made where there are none; nothing for ids without a datapoint. */
  private async itemsOf(
    tx: WriteTx,
    scope: Scope,
    { datasetId, masking }: { datasetId: string; masking: BoundedMasking | null },
    datapointIds: readonly string[],
  ): Promise<{ open: QueueItemRow[]; made: QueueItemRow[] }> {
    const open = await this.items.findOpen(tx, scope, datasetId, datapointIds);
    const queued = new Set(open.map(({ datapointId }) => datapointId));
    const left = datapointIds.filter((id) => !queued.has(id));
    const found = await this.datapoints.findForWrite(tx, scope, datasetId, left);
    const byId = new Map(found.map((datapoint) => [datapoint.id, datapoint]));
    const made: QueueItemRow[] = [];
    for (const id of left) {
      const datapoint = byId.get(id);
      if (!datapoint) continue;
      // The datapoint may have been stored before there were rules.
      const kind = datapointKind(datapoint);
      const masked = masking ? await masking.run((calls) => maskDatapoint(calls, kind)) : kind;
      made.push(pendingItem(scope, datasetId, id, JSON.stringify(masked)));
    }
    await this.items.insert(tx, made);
    return { open, made };
  }
}

/** Ids are made under the lock of the dataset, so that the order of the queue is the order in which items came. */
const pendingItem = (scope: Scope, datasetId: string, datapointId: string, originalData: string): QueueItemRow => ({
  projectId: scope.projectId,
  id: newId(),
  datasetId,
  datapointId,
  status: QUEUE_STATUS.pending,
  claimedBy: null,
  claimedByName: null,
  claimedAt: null,
  originalData,
  editedData: null,
  createdAt: Date.now(),
});

function unknownDatapoints(datapointIds: readonly string[], known: ReadonlyMap<string, unknown>): NotFound {
  const positions = new Map<string, number>();
  for (const [position, id] of datapointIds.entries()) {
    if (!known.has(id) && !positions.has(id)) positions.set(id, position);
  }
  const errors = [...positions].map(([id, position]) => ({
    path: dottedPath(['datapoint_ids', position]),
    message: `there is no datapoint ${JSON.stringify(id.slice(0, SHOWN_ID_LENGTH_MAX))} in this dataset`,
  }));
  const what = errors.length === 1 ? 'one of the datapoints is' : `${errors.length} of the datapoints are`;
  return new NotFound('datapoint_not_found', `${what} not in this dataset; nothing was enqueued`, errors);
}

const tooLarge = (): Invalid =>
  new Invalid('payload_too_large', 'these datapoints are too large for one answer; enqueue fewer at once');
