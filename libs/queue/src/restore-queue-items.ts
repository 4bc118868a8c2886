import { Injectable } from '@nestjs/common';
import type { RejectedItem, RestoredQueueItem } from '@spandrel/contract';
import { DatapointStore, DatasetStore } from '@spandrel/datasets';
import { DomainEvents } from '@spandrel/events';
import type { Scope } from '@spandrel/kernel';
import { attempt, FindTargets } from '@spandrel/scores';
import { Storage, toJsonText, type WriteTx } from '@spandrel/storage';
import { answersOf } from './check-review.js';
import { queueItemJson, queueItemUpdated } from './queue-item-json.js';
import {
  OF_TARGETS,
  type QueueItemRow,
  queueItemTable,
  QUEUE_STATUS,
  type QueueTarget,
  scoreTarget,
  unitOfTarget,
} from './queue-item.entity.js';
import { QueueItemStore } from './queue-item.store.js';

type Rejected = RejectedItem<RestoredQueueItem>;

/** Brings queue items of an export back, with their claims and edited data. */
@Injectable()
export class RestoreQueueItems {
  constructor(
    private readonly storage: Storage,
    private readonly datasets: DatasetStore,
    private readonly datapoints: DatapointStore,
    private readonly items: QueueItemStore,
    private readonly events: DomainEvents,
    private readonly targets: FindTargets,
  ) {}

  /**
   * Upserts items in one transaction; emits `queue_item_updated` for those that were here and change. A completed item
   * that is here stays as it is.
   * @returns those without a dataset or datapoint, and those that contradict what is here.
   */
  execute(scope: Scope, restored: readonly RestoredQueueItem[]): Promise<Rejected[]> {
    const byId = new Map(restored.map((item) => [item.id, item]));
    const byDataset = Map.groupBy(byId.values(), ({ dataset_id: datasetId }) => datasetId ?? OF_TARGETS);
    return this.storage.write(async (tx) => {
      const rejected: Rejected[] = [];
      for (const [datasetId, items] of [...byDataset].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
        // Locked, so that nobody enqueues the same or deletes them meanwhile.
        if (datasetId === OF_TARGETS) await this.items.lockTargets(tx, scope);
        if (datasetId === OF_TARGETS || (await this.datasets.findForWrite(tx, scope, datasetId))) {
          rejected.push(...(await this.restoreInto(tx, scope, datasetId, items)));
        } else {
          rejected.push(...items.map((item) => ({ item, ...NO_DATASET })));
        }
      }
      return rejected;
    });
  }

  private async restoreInto(
    tx: WriteTx,
    scope: Scope,
    datasetId: string,
    items: readonly RestoredQueueItem[],
  ): Promise<Rejected[]> {
    const units = [...new Set(items.map(unitOf))];
    const known = await this.findUnits(tx, scope, datasetId, items, units);
    const found = await this.items.findSomeForWrite(
      tx,
      scope,
      items.map(({ id }) => id),
    );
    const here = new Map(found.map((item) => [item.id, item]));
    const open = await this.items.findOpen(tx, scope, datasetId, units);
    const openOf = new Map(open.map((item) => [item.datapointId, item]));
    const rejected: Rejected[] = [];
    const added: QueueItemRow[] = [];
    for (const item of items) {
      const before = here.get(item.id);
      const after = itemRow(scope, item, before);
      const reason = reasonAgainst(before, after, known, openOf);
      if (reason) {
        rejected.push({ item, ...reason });
        continue;
      }
      if (after.status !== QUEUE_STATUS.completed) openOf.set(after.datapointId, after);
      if (after.claimedBy !== null) await this.items.joinGroup(tx, after, after.claimedBy);
      if (before) await this.change(tx, scope, before, after);
      else added.push(after);
    }
    await this.items.insert(tx, added);
    return rejected;
  }

  /** What of the items' datapoints or targets is here. */
  private async findUnits(
    tx: WriteTx,
    scope: Scope,
    datasetId: string,
    items: readonly RestoredQueueItem[],
    units: readonly string[],
  ): Promise<Set<string>> {
    if (datasetId !== OF_TARGETS) {
      return new Set((await this.datapoints.findForWrite(tx, scope, datasetId, units)).map(({ id }) => id));
    }
    const given = items.map((item) => ({ unit: unitOf(item), target: scoreTarget(targetOf(item)) }));
    const find = await this.targets.find(
      tx,
      scope,
      given.map(({ target }) => target),
    );
    return new Set(given.filter(({ target }) => !attempt(() => find(target))).map(({ unit }) => unit));
  }

  private async change(tx: WriteTx, scope: Scope, before: QueueItemRow, after: QueueItemRow): Promise<void> {
    if (queueItemJson(before) === queueItemJson(after)) return;
    Object.assign(before, after);
    await this.events.emitWire(tx, scope, [queueItemUpdated(after)]);
  }
}

/** Why an item cannot be taken; `undefined` when it can. @param openOf the open item of each datapoint. */
function reasonAgainst(
  before: QueueItemRow | undefined,
  after: QueueItemRow,
  known: ReadonlySet<string>,
  openOf: ReadonlyMap<string, QueueItemRow>,
): Pick<Rejected, 'code' | 'message'> | undefined {
  if (!known.has(after.datapointId)) return after.datasetId === OF_TARGETS ? NO_TARGET : NO_DATAPOINT;
  if (before && (before.datasetId !== after.datasetId || before.datapointId !== after.datapointId)) return OTHER_ITEM;
  if (before?.status === QUEUE_STATUS.completed)
    return queueItemJson(before) === queueItemJson(after) ? undefined : COMPLETED;
  const open = openOf.get(after.datapointId);
  if (after.status === QUEUE_STATUS.completed || open === undefined || open.id === after.id) return undefined;
  return open.groupId !== null && open.groupId === after.groupId ? undefined : OTHER_OPEN;
}

const targetOf = (item: RestoredQueueItem): QueueTarget => ({
  ...{ traceId: item.trace_id, spanId: item.span_id, sessionId: item.session_id },
});

const unitOf = (item: RestoredQueueItem): string => item.datapoint_id ?? unitOfTarget(targetOf(item));

/** An item as it becomes here. @param before as it is here: an export of an earlier version has no names of reviewers. */
const itemRow = (scope: Scope, item: RestoredQueueItem, before: QueueItemRow | undefined): QueueItemRow => ({
  ...queueItemTable.membersOf(item),
  projectId: scope.projectId,
  datasetId: item.dataset_id ?? OF_TARGETS,
  datapointId: unitOf(item),
  ...targetOf(item),
  assignees: JSON.stringify(item.assignees),
  adjudicators: item.adjudicate === null ? null : JSON.stringify(item.adjudicators),
  adjudicates: item.adjudicates ? 1 : 0,
  gold: toJsonText(item.gold),
  status: QUEUE_STATUS[item.status],
  claimedByName: item.claimed_by_name ?? (before?.claimedBy === item.claimed_by ? before.claimedByName : null),
  originalData: JSON.stringify(item.original_data),
  editedData: toJsonText(item.edited_data),
  form: JSON.stringify(item.form),
  rank: 0 - item.priority,
  blind: item.blind ? 1 : 0,
  ciWidth: item.until?.ci_width ?? null,
  scores: JSON.stringify(item.scores),
  answers: answersOf(item.scores),
  skipped: item.skipped ? 1 : 0,
});

const NO_DATASET = { code: 'dataset_not_found', message: 'there is no dataset with this dataset_id' };
const NO_DATAPOINT = { code: 'datapoint_not_found', message: 'the dataset has no datapoint with this datapoint_id' };
const NO_TARGET = { code: 'trace_not_found', message: 'there is no trace, span or session that the item is about' };
const OTHER_ITEM = { code: 'id_conflict', message: 'an item of something else has this id' };
const COMPLETED = { code: 'id_conflict', message: 'the item is completed here with other values, and stays' };
const OTHER_OPEN = { code: 'id_conflict', message: 'the datapoint has another item here that is open' };
