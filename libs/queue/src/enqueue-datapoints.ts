import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { dottedPath, isStorableText, type Enqueue } from '@spandrel/contract';
import { datapointKind, DatapointStore, datasetNotFound, DatasetStore } from '@spandrel/datasets';
import { Invalid, newId, NotFound, type Scope } from '@spandrel/kernel';
import { maskDatapoint, ProjectMasking, type BoundedMasking } from '@spandrel/masking';
import { ScoreDefinitionStore } from '@spandrel/scores';
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
    private readonly definitions: ScoreDefinitionStore,
  ) {}

  /**
   * Makes pending items of each datapoint, as many as reviews are required, where they are not there; all or nothing
   * (docs/spec/queue.md#enqueuing-datapoints).
   * @returns the open items of each datapoint, new or not, in the order of first mention, and how many are not new.
   * @throws NotFound `dataset_not_found`; `datapoint_not_found` with every id there is no datapoint for. Invalid
   *   `payload_too_large` when the items are too large for one answer, `validation_failed` for a form without definition.
   */
  async execute(
    scope: Scope,
    datasetId: string,
    { datapoint_ids: datapointIds, ...given }: Enqueue,
  ): Promise<EnqueuedRows> {
    const ids = [...new Set(datapointIds)];
    const masking = await this.masking.of(scope);
    const wanted = { datasetId, masking, required: given.reviews_required ?? 1, terms: termsOf(given) };
    return this.storage.write(async (tx) => {
      // Locked, so that nobody else enqueues the same datapoints or deletes them meanwhile.
      if (!(await this.datasets.findForWrite(tx, scope, datasetId))) throw datasetNotFound();
      await this.assertDefined(tx, scope, given.form ?? []);
      const items = new Map<string, QueueItemRow[]>();
      let [length, existing] = [0, 0];
      for (let at = 0; at < ids.length; at += DATAPOINTS_AT_ONCE) {
        const storable = ids.slice(at, at + DATAPOINTS_AT_ONCE).filter(isStorableText);
        const { open, made } = await this.itemsOf(tx, scope, wanted, storable);
        existing += open.length;
        for (const item of [...open, ...made]) {
          items.getOrInsertComputed(item.datapointId, () => []).push(item);
          length += item.originalData.length;
        }
        if (length > ENQUEUE_TEXT_MAX) throw tooLarge();
        await nextTurn();
      }
      if (items.size < ids.length) throw unknownDatapoints(datapointIds, items);
      return { items: ids.flatMap((id) => items.get(id)!), existing };
    });
  }

  private async assertDefined(tx: WriteTx, scope: Scope, form: readonly string[]): Promise<void> {
    const known = await this.definitions.findByNames(tx, scope, form);
    const errors = form.flatMap((name, at) =>
      known.has(name) ? [] : [{ path: `form[${at}]`, message: `there is no score definition "${name}"` }],
    );
    if (errors.length > 0) throw new Invalid('validation_failed', `${errors[0]!.path} ${errors[0]!.message}`, errors);
  }

  /** The open items of datapoints, made where they are missing; nothing for ids without a datapoint. */
  private async itemsOf(
    tx: WriteTx,
    scope: Scope,
    { datasetId, masking, required, terms }: WantedItems,
    datapointIds: readonly string[],
  ): Promise<{ open: QueueItemRow[]; made: QueueItemRow[] }> {
    const open = Map.groupBy(await this.items.findOpen(tx, scope, datasetId, datapointIds), (item) => item.datapointId);
    const groupIds = [...open.values()].flatMap(([item]) => item!.groupId ?? []);
    const groups = Map.groupBy(await this.items.findOfGroups(tx, scope, groupIds), (item) => item.groupId);
    const missingOf = (id: string): number => {
      const [item] = open.get(id) ?? [];
      return required - (item ? (groups.get(item.groupId)?.length ?? 1) : 0);
    };
    const left = datapointIds.filter((id) => missingOf(id) > 0);
    const found = await this.datapoints.findForWrite(tx, scope, datasetId, left);
    const byId = new Map(found.map((datapoint) => [datapoint.id, datapoint]));
    const added: QueueItemRow[] = [];
    for (const id of left) {
      const datapoint = byId.get(id);
      if (!datapoint) continue;
      // The datapoint may have been stored before there were rules.
      const kind = datapointKind(datapoint);
      const originalData = JSON.stringify(masking ? await masking.run((calls) => maskDatapoint(calls, kind)) : kind);
      const [first] = open.get(datapoint.id) ?? [];
      const groupId = required > 1 ? (first?.groupId ?? newId()) : null;
      if (first && first.groupId !== groupId) await this.beginGroup(tx, first, groupId!, required);
      const missing = missingOf(datapoint.id);
      const group = { groupId, reviewsRequired: required };
      for (let no = required - missing + 1; no <= required; no++) {
        added.push({ ...pendingItem(scope, datasetId, datapoint.id, originalData), ...terms, ...group, reviewNo: no });
      }
    }
    await this.items.insert(tx, added);
    return { open: [...open.values()].flat(), made: added };
  }

  /** A single item becomes the first of a group. */
  private async beginGroup(tx: WriteTx, item: QueueItemRow, groupId: string, required: number): Promise<void> {
    Object.assign(item, { groupId, reviewsRequired: required });
    if (item.claimedBy !== null) await this.items.joinGroup(tx, item, item.claimedBy);
  }
}

/** What is asked of reviewers. */
type Terms = Pick<QueueItemRow, 'form' | 'instructions' | 'rank' | 'blind'>;

interface WantedItems {
  datasetId: string;
  masking: BoundedMasking | null;
  required: number;
  terms: Terms;
}

const termsOf = ({ form, instructions, priority, blind }: Omit<Enqueue, 'datapoint_ids'>): Terms => ({
  form: JSON.stringify(form ?? []),
  instructions: instructions ?? null,
  rank: 0 - (priority ?? 0),
  blind: blind === false ? 0 : 1,
});

/** Ids are made under the lock of the dataset, so that the order of the queue is the order in which items came. */
const pendingItem = (
  scope: Scope,
  datasetId: string,
  datapointId: string,
  originalData: string,
): Omit<QueueItemRow, keyof Terms | 'groupId' | 'reviewsRequired' | 'reviewNo'> => ({
  projectId: scope.projectId,
  id: newId(),
  datasetId,
  datapointId,
  status: QUEUE_STATUS.pending,
  ...{ claimedBy: null, claimedByName: null, claimedAt: null },
  originalData,
  editedData: null,
  createdAt: Date.now(),
  ...{ scores: '[]', answers: '[]', comment: null, skipped: 0, completedAt: null },
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
