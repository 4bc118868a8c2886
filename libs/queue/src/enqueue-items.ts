import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import {
  dottedPath,
  isStorableText,
  REVIEW_TARGETS,
  type Enqueue,
  type EnqueueTargets,
  type EnqueueTerms,
  type ReviewTarget,
} from '@spandrel/contract';
import { datapointKind, DatapointStore, datasetNotFound, DatasetStore } from '@spandrel/datasets';
import { Invalid, newId, NotFound, type Scope } from '@spandrel/kernel';
import { maskDatapoint, ProjectMasking } from '@spandrel/masking';
import { attempt, FindTargets, ScoreDefinitionStore } from '@spandrel/scores';
import { Storage, type WriteTx } from '@spandrel/storage';
import { OF_TARGETS, type QueueItemRow, QUEUE_STATUS, type QueueTarget, unitOfTarget } from './queue-item.entity.js';
import { QueueItemStore } from './queue-item.store.js';

/** Datapoints that are brought into memory at once, before it is known how large they are. */
const DATAPOINTS_AT_ONCE = 16;
const TARGETS_AT_ONCE = 500;

/** Text of all items that one request may enqueue or be answered with, about: the answer shows them whole. */
const ENQUEUE_TEXT_MAX = 64 * 1024 * 1024;

/** An id that a client made up may be of any length. */
const SHOWN_ID_LENGTH_MAX = 128;

/** The open items of what was enqueued. */
interface EnqueuedRows {
  items: QueueItemRow[];
  /** How many of them were there before. */
  existing: number;
}

/** What is reviewed: a datapoint with its data, or a trace, a span or a session. */
type Subject = Pick<QueueItemRow, 'originalData'> & QueueTarget;

const NO_TARGET: QueueTarget = { traceId: null, spanId: null, sessionId: null };

/** Puts datapoints, traces, spans and sessions into their queues. */
@Injectable()
export class EnqueueItems {
  constructor(
    private readonly storage: Storage,
    private readonly datasets: DatasetStore,
    private readonly datapoints: DatapointStore,
    private readonly items: QueueItemStore,
    private readonly masking: ProjectMasking,
    private readonly definitions: ScoreDefinitionStore,
    private readonly targets: FindTargets,
  ) {}

  /**
   * `POST /api/datasets/:id/queue`. Makes pending items of each datapoint, as many as reviews are required, where they are
   * not there; all or nothing (docs/spec/queue.md#enqueuing-datapoints).
   * @returns the open items of each datapoint, new or not, in the order of first mention, and how many are not new.
   * @throws NotFound `dataset_not_found`; `datapoint_not_found` with every id there is no datapoint for. Invalid
   *   `payload_too_large` when the items are too large for one answer, `validation_failed` for a form without definition.
   */
  async enqueueDatapoints(
    scope: Scope,
    datasetId: string,
    { datapoint_ids: given, ...terms }: Enqueue,
  ): Promise<EnqueuedRows> {
    const ids = [...new Set(given)];
    const masking = await this.masking.of(scope);
    return this.storage.write(async (tx) => {
      // Locked, so that nobody else enqueues the same datapoints or deletes them meanwhile.
      if (!(await this.datasets.findForWrite(tx, scope, datasetId))) throw datasetNotFound();
      const load = async (wanted: readonly string[]): Promise<Map<string, Subject>> => {
        const loaded = new Map<string, Subject>();
        for (const datapoint of await this.datapoints.findForWrite(tx, scope, datasetId, wanted)) {
          // The datapoint may have been stored before there were rules.
          const kind = datapointKind(datapoint);
          const shown = masking ? await masking.run((calls) => maskDatapoint(calls, kind)) : kind;
          loaded.set(datapoint.id, { originalData: JSON.stringify(shown), ...NO_TARGET });
        }
        return loaded;
      };
      const queue = { datasetId, load, atOnce: DATAPOINTS_AT_ONCE };
      const { items, existing } = await this.enqueue(tx, scope, queue, terms, ids);
      if (items.size < ids.length) throw unknown('datapoint', ' in this dataset', given, items);
      return { items: ids.flatMap((id) => items.get(id)!), existing };
    });
  }

  /**
   * `POST /api/queue`: like {@link enqueueDatapoints} for traces, spans or sessions (docs/spec/queue.md#reviews-of-traces).
   * @throws NotFound `trace_not_found`, `span_not_found` or `session_not_found` with every id there is none for.
   */
  async enqueueTargets(scope: Scope, body: EnqueueTargets): Promise<EnqueuedRows> {
    const { trace_ids: _traces, span_ids: _spans, session_ids: _sessions, ...terms } = body;
    const kind = REVIEW_TARGETS.find((target) => body[`${target}_ids`])!;
    const given = body[`${kind}_ids`]!;
    const ids = [...new Set(given)];
    return this.storage.write(async (tx) => {
      await this.items.lockTargets(tx, scope);
      const targetOf = await this.targets.find(
        tx,
        scope,
        ids.map((id) => ({ [`${kind}_id`]: id })),
      );
      const known = new Map<string, Subject>();
      for (const id of ids) {
        attempt(() => {
          const { traceId, spanId, sessionId } = targetOf({ [`${kind}_id`]: id });
          const target = { traceId, spanId, sessionId };
          known.set(id, { originalData: 'null', ...target });
        });
      }
      if (known.size < ids.length) throw unknown(kind, '', given, known);
      const subjects = new Map(known.values().map((subject) => [unitOfTarget(subject), subject]));
      const queue = { datasetId: OF_TARGETS, load: () => Promise.resolve(subjects), atOnce: TARGETS_AT_ONCE };
      const { items, existing } = await this.enqueue(tx, scope, queue, terms, [...subjects.keys()]);
      return { items: [...subjects.keys()].flatMap((unit) => items.get(unit)!), existing };
    });
  }

  /** @returns the open items of each unit that there is, new or not, and how many are not new. */
  private async enqueue(
    tx: WriteTx,
    scope: Scope,
    { datasetId, load, atOnce }: QueueOfItems,
    given: EnqueueTerms,
    units: readonly string[],
  ): Promise<{ items: Map<string, QueueItemRow[]>; existing: number }> {
    await this.assertDefined(tx, scope, given.form ?? []);
    const wanted = { datasetId, load, required: given.reviews_required ?? 1, terms: termsOf(given) };
    const items = new Map<string, QueueItemRow[]>();
    let [length, existing] = [0, 0];
    for (let at = 0; at < units.length; at += atOnce) {
      const storable = units.slice(at, at + atOnce).filter(isStorableText);
      const { open, made } = await this.itemsOf(tx, scope, wanted, storable);
      existing += open.length;
      for (const item of [...open, ...made]) {
        items.getOrInsertComputed(item.datapointId, () => []).push(item);
        length += item.originalData.length;
      }
      if (length > ENQUEUE_TEXT_MAX) throw tooLarge();
      await nextTurn();
    }
    return { items, existing };
  }

  private async assertDefined(tx: WriteTx, scope: Scope, form: readonly string[]): Promise<void> {
    const known = await this.definitions.findByNames(tx, scope, form);
    const errors = form.flatMap((name, at) =>
      known.has(name) ? [] : [{ path: `form[${at}]`, message: `there is no score definition "${name}"` }],
    );
    if (errors.length > 0) throw new Invalid('validation_failed', `${errors[0]!.path} ${errors[0]!.message}`, errors);
  }

  /** The open items of units, made where they are missing; nothing for what is not there. */
  private async itemsOf(
    tx: WriteTx,
    scope: Scope,
    { datasetId, load, required, terms }: WantedItems,
    units: readonly string[],
  ): Promise<{ open: QueueItemRow[]; made: QueueItemRow[] }> {
    const open = Map.groupBy(await this.items.findOpen(tx, scope, datasetId, units), (item) => item.datapointId);
    const groupIds = [...open.values()].flatMap(([item]) => item!.groupId ?? []);
    const groups = Map.groupBy(await this.items.findOfGroups(tx, scope, groupIds), (item) => item.groupId);
    const missingOf = (unit: string): number => {
      const [item] = open.get(unit) ?? [];
      return required - (item ? (groups.get(item.groupId)?.length ?? 1) : 0);
    };
    const left = units.filter((unit) => missingOf(unit) > 0);
    const loaded = await load(left);
    const added: QueueItemRow[] = [];
    for (const unit of left) {
      const subject = loaded.get(unit);
      if (!subject) continue;
      const [first] = open.get(unit) ?? [];
      const groupId = required > 1 ? (first?.groupId ?? newId()) : null;
      if (first && first.groupId !== groupId) await this.beginGroup(tx, first, groupId!, required);
      const group = { groupId, reviewsRequired: required };
      for (let no = required - missingOf(unit) + 1; no <= required; no++) {
        added.push({ ...pendingItem(scope, datasetId, unit), ...subject, ...terms, ...group, reviewNo: no });
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

/** Where items go, and how what they are about is found. */
interface QueueOfItems {
  datasetId: string;
  /** Finds what is reviewed; nothing for what is not there. */
  load: (units: readonly string[]) => Promise<ReadonlyMap<string, Subject>>;
  atOnce: number;
}

/** What is asked of reviewers. */
type Terms = Pick<QueueItemRow, 'form' | 'instructions' | 'rank' | 'blind' | 'selectedBy'>;

type WantedItems = Pick<QueueOfItems, 'datasetId' | 'load'> & { required: number; terms: Terms };

const termsOf = ({ form, instructions, priority, blind, selected_by: selectedBy }: EnqueueTerms): Terms => ({
  form: JSON.stringify(form ?? []),
  instructions: instructions ?? null,
  rank: 0 - (priority ?? 0),
  blind: blind === false ? 0 : 1,
  selectedBy: selectedBy ?? null,
});

/** Ids are made under the lock of the queue, so that the order of the queue is the order in which items came. */
const pendingItem = (
  scope: Scope,
  datasetId: string,
  unit: string,
): Omit<QueueItemRow, keyof Terms | keyof Subject | 'groupId' | 'reviewsRequired' | 'reviewNo'> => ({
  projectId: scope.projectId,
  id: newId(),
  datasetId,
  datapointId: unit,
  status: QUEUE_STATUS.pending,
  ...{ claimedBy: null, claimedByName: null, claimedAt: null },
  editedData: null,
  createdAt: Date.now(),
  ...{ scores: '[]', answers: '[]', comment: null, skipped: 0, completedAt: null },
});

/** @param given the ids as they were sent. @param known those that there are. */
function unknown(
  what: ReviewTarget | 'datapoint',
  where: string,
  given: readonly string[],
  known: ReadonlyMap<string, unknown>,
): NotFound {
  const positions = new Map<string, number>();
  for (const [position, id] of given.entries()) {
    if (!known.has(id) && !positions.has(id)) positions.set(id, position);
  }
  const errors = [...positions].map(([id, position]) => ({
    path: dottedPath([`${what}_ids`, position]),
    message: `there is no ${what} ${JSON.stringify(id.slice(0, SHOWN_ID_LENGTH_MAX))}${where}`,
  }));
  const some = errors.length === 1 ? `one of the ${what}s is` : `${errors.length} of the ${what}s are`;
  return new NotFound(`${what}_not_found`, `${some} not ${where.trim() || 'there'}; nothing was enqueued`, errors);
}

const tooLarge = (): Invalid =>
  new Invalid('payload_too_large', 'these datapoints are too large for one answer; enqueue fewer at once');
