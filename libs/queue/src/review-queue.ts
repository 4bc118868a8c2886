import { Injectable } from '@nestjs/common';
import { datapointKindSchema, isStorableText, type Submit } from '@spandrel/contract';
import { ChangeDatapoints, DatapointStore, datasetNotFound, DatasetStore } from '@spandrel/datasets';
import { DomainEvents } from '@spandrel/events';
import { projectScope, type Scope } from '@spandrel/kernel';
import { maskAnswers, maskReviewed, ProjectMasking } from '@spandrel/masking';
import { FindTargets, ScoreDefinitionStore, WriteScores } from '@spandrel/scores';
import { fromJsonText, Storage, toJsonText, writtenAhead, type WriteTx } from '@spandrel/storage';
import { checkReview, NO_ANSWERS, type ReviewScore } from './check-review.js';
import { pendingItem } from './enqueue-items.js';
import { isBlind, queueItemUpdated } from './queue-item-json.js';
import {
  alreadyReviewed,
  assertAssigned,
  claimed,
  queueItemNotFound,
  released,
  submitted,
} from './queue-item-states.js';
import { OF_TARGETS, QUEUE_STATUS, type QueueItemRow, scoreTarget } from './queue-item.entity.js';
import { QueueItemStore } from './queue-item.store.js';
import { ReviewStore } from './review.store.js';
import type { Reviewer } from './reviewer.js';

const NONE_LEFT = {
  plain: 'no item of this queue is pending for this reviewer',
  excluding: 'no item of this queue is pending for this reviewer but excluded ones',
};

/** What items say that nobody had to review any more. */
const CLOSED = 'not needed any more: the interval of the estimate is as narrow as was asked';

const ITEMS_PER_ROUND = 100;

type Next = (item: QueueItemRow) => QueueItemRow;

/** Claims, releases and completes items of the review queue, each change with its event in the same transaction. */
@Injectable()
export class ReviewQueue {
  constructor(
    private readonly storage: Storage,
    private readonly datasets: DatasetStore,
    private readonly datapoints: ChangeDatapoints,
    private readonly items: QueueItemStore,
    private readonly events: DomainEvents,
    private readonly masking: ProjectMasking,
    private readonly found: DatapointStore,
    private readonly definitions: ScoreDefinitionStore,
    private readonly scores: WriteScores,
    private readonly targets: FindTargets,
    private readonly reviews: ReviewStore,
  ) {}

  /**
   * @throws NotFound `queue_item_not_found`, Conflict as the states of an item have it, or `queue_item_already_reviewed`
   *   where the reviewer has another item of its group.
   */
  claim(scope: Scope, id: string, reviewer: Reviewer, now: number): Promise<QueueItemRow> {
    return this.storage.write(async (tx) => {
      const item = await this.items.findForWrite(tx, scope, id);
      const isNew = item?.status === QUEUE_STATUS.pending;
      if (isNew) assertAssigned(item, reviewer);
      if (isNew && !(await this.items.joinGroup(tx, item, reviewer.id))) throw alreadyReviewed();
      return this.changeIn(tx, scope, item, (current) => claimed(current, reviewer, now));
    });
  }

  /** Gives a claimed item back. @throws NotFound `queue_item_not_found`, Conflict as the states of an item have it. */
  release(scope: Scope, id: string): Promise<QueueItemRow> {
    return this.storage.write(async (tx) => this.releaseIn(tx, scope, await this.items.findForWrite(tx, scope, id)));
  }

  /**
   * Claims the pending item that is next and not excluded, of the highest priority, then the oldest: many callers at once get one item each, none the same
   * (docs/spec/queue.md#two-claims-at-once).
   * @param datasetId of the queue, or {@link OF_TARGETS}. @param excluded ids of items to leave out.
   * @throws NotFound `dataset_not_found`; `queue_item_not_found` when none is left.
   */
  async claimNext(
    scope: Scope,
    datasetId: string,
    { reviewer, excluded }: { reviewer: Reviewer; excluded: readonly string[] },
    now: number,
  ): Promise<QueueItemRow> {
    const exclude = excluded.filter(isStorableText);
    if (datasetId !== OF_TARGETS && !(await this.datasets.find(scope, datasetId))) throw datasetNotFound();
    const claim = (others: 'pass over' | 'wait'): Promise<QueueItemRow | null> =>
      this.storage.write(async (tx) => {
        for (const passed = [...exclude]; ;) {
          const item = await this.items.nextPendingForWrite(tx, scope, datasetId, reviewer.id, {
            exclude: passed,
            others,
          });
          if (!item) return null;
          // Another window of this reviewer may be given an item of the group at this moment.
          if (await this.items.joinGroup(tx, item, reviewer.id)) {
            return this.changeIn(tx, scope, item, (pending) => claimed(pending, reviewer, now));
          }
          passed.push(item.id);
        }
      });
    // Postgres keeps a lock on what it looked at and found claimed meanwhile: who waits starts over, with none.
    const item = (await claim('pass over')) ?? (await claim('wait'));
    if (!item) throw queueItemNotFound(NONE_LEFT[exclude.length > 0 ? 'excluding' : 'plain']);
    return item;
  }

  /**
   * Completes a claimed item. Edited data that is to be applied replaces the datapoint in the same transaction when it
   * is a valid kind, and is only kept when it is not (docs/spec/queue.md#applying-edited-data). Answers are scores too,
   * see {@link addScores}.
   * @param apply whether to write it back to the datapoint.
   * @returns the item, and whether the datapoint was replaced.
   * @throws NotFound `queue_item_not_found`, Conflict as the states of an item have it, Invalid where the answers are not
   *   those that the item's form asks for.
   */
  async submit(
    scope: Scope,
    id: string,
    given: Submit,
    apply: boolean,
    now: number,
  ): Promise<{ item: QueueItemRow; applied: boolean }> {
    const { edited, ...review } = await this.masked(scope, given);
    const editedData = await writtenAhead(edited);
    const kind = apply ? datapointKindSchema.safeParse(editedData).data : undefined;
    return this.storage.write(async (tx) => {
      const place = await this.items.findPlace(tx, scope, id);
      if (!place) throw queueItemNotFound();
      const replaces = kind !== undefined && place.datasetId !== OF_TARGETS;
      // The dataset or the trace before the items, as a delete locks them; items in the order of their ids.
      if (replaces) await this.datasets.findForWrite(tx, scope, place.datasetId);
      if (place.datasetId === OF_TARGETS) await this.targets.find(tx, scope, [scoreTarget(place)]);
      const group = await this.items.findOfGroups(tx, scope, place.groupId === null ? [] : [place.groupId]);
      const item = await this.items.findForWrite(tx, scope, id);
      if (!item) throw queueItemNotFound();
      const definitions = await this.definitions.findByNames(
        tx,
        scope,
        (review.scores ?? []).map(({ name }) => name),
      );
      const answered = item.status === QUEUE_STATUS.claimed ? checkReview(item, review, definitions) : NO_ANSWERS;
      const written = { ...answered, editedData: toJsonText(editedData) };
      const changed = await this.changeIn(tx, scope, item, (current) => submitted(current, written, now));
      await this.adjudicate(tx, scope, item, group);
      await this.addScores(tx, scope, changed, group);
      await this.closeWhenEnough(tx, scope, changed, now);
      const datapoint = { datasetId: changed.datasetId, id: changed.datapointId };
      if (replaces) await this.datapoints.replace(tx, scope, { ...datapoint, kind }, now);
      return { item: changed, applied: replaces };
    });
  }

  /** Somebody else decides where the answers of a complete group differ (docs/spec/queue.md#adjudication). */
  private async adjudicate(tx: WriteTx, scope: Scope, item: QueueItemRow, group: QueueItemRow[]): Promise<void> {
    const isSettled = group.some(({ status, adjudicates }) => status !== QUEUE_STATUS.completed || adjudicates === 1);
    if (item.adjudicators === null || isSettled) return;
    const given = group.filter(({ skipped }) => skipped === 0);
    const answers = new Set(given.map((one) => (one.form === '[]' ? one.editedData : one.answers)));
    if (answers.size < 2) return;
    const { datasetId, datapointId, reviewsRequired, adjudicators } = item;
    const decision = { reviewNo: reviewsRequired + 1, assignees: adjudicators, adjudicators: null, adjudicates: 1 };
    const added = { ...item, ...pendingItem(scope, datasetId, datapointId), ...decision };
    await this.items.insert(tx, [added]);
    group.push(added);
  }

  /** Nobody has to begin with the rest when the estimates are as tight as was asked (docs/spec/queue.md#enough-reviews). */
  private async closeWhenEnough(tx: WriteTx, scope: Scope, item: QueueItemRow, now: number): Promise<void> {
    const { datasetId, form, ciWidth } = item;
    if (ciWidth === null) return;
    await tx.em.flush();
    const estimates = await this.reviews.estimates(scope, datasetId, { form, ciWidth }, tx);
    if (!estimates.every(({ ci }) => ci !== null && ci.high - ci.low <= ciWidth)) return;
    const closed = { status: QUEUE_STATUS.completed, skipped: 1, comment: CLOSED, completedAt: now };
    for (const open of await this.items.findUnbegun(tx, scope, item)) {
      await this.changeIn(tx, scope, open, (pending) => ({ ...pending, ...closed }));
    }
  }

  /**
   * Answers are scores of what was reviewed, or of the span that the datapoint came from, as long as that is there. Those of
   * blind reviews become scores when nobody of the group has to answer any more.
   */
  private async addScores(
    tx: WriteTx,
    scope: Scope,
    item: QueueItemRow,
    group: readonly QueueItemRow[],
  ): Promise<void> {
    const isOpen = group.some(({ status }) => status !== QUEUE_STATUS.completed);
    const shown = isBlind(item) ? group.filter((one) => !isOpen && isBlind(one)) : [item];
    const reviews = shown.map(({ id, claimedBy, selectedBy, gold, scores, completedAt }) => ({
      ...{ itemId: id, reviewer: claimedBy!, selectedBy: gold === null ? selectedBy : 'gold', at: completedAt! },
      answers: fromJsonText(scores) as ReviewScore[],
    }));
    if (reviews.every(({ answers }) => answers.length === 0)) return;
    const target = await this.findScored(tx, scope, item);
    if (target) await this.scores.addReviews(tx, scope, target, reviews);
  }

  private async findScored(tx: WriteTx, scope: Scope, item: QueueItemRow) {
    if (item.datasetId === OF_TARGETS) return scoreTarget(item);
    const [datapoint] = await this.found.findForWrite(tx, scope, item.datasetId, [item.datapointId]);
    return datapoint?.sourceSpanId ? { span_id: datapoint.sourceSpanId } : undefined;
  }

  private async masked(scope: Scope, { edited_data: edited, ...review }: Submit) {
    const masking = await this.masking.of(scope);
    if (!masking) return { ...review, edited };
    return masking.run((calls) => ({ ...maskAnswers(calls, review), edited: maskReviewed(calls, edited) }));
  }

  /**
   * Releases what was claimed up to a time (docs/spec/queue.md#stale-claims), in rounds. Several instances may do so at
   * once: each item is released, and announced, once.
   */
  async releaseStale(claimedThrough: number, stopped: AbortSignal): Promise<void> {
    for (;;) {
      const stale = await this.items.findStale(claimedThrough, ITEMS_PER_ROUND);
      let count = 0;
      for (const [projectId, items] of Map.groupBy(stale, (item) => item.projectId)) {
        if (stopped.aborted) return;
        const ids = items.map(({ id }) => id);
        count += await this.releaseSome(projectScope(projectId), ids, claimedThrough);
      }
      if (count === 0) return;
    }
  }

  private releaseSome(scope: Scope, ids: readonly string[], claimedThrough: number): Promise<number> {
    return this.storage.write(async (tx) => {
      const items = await this.items.findStaleForWrite(tx, scope, ids, claimedThrough);
      for (const item of items) await this.releaseIn(tx, scope, item);
      return items.length;
    });
  }

  private async releaseIn(tx: WriteTx, scope: Scope, item: QueueItemRow | null): Promise<QueueItemRow> {
    const changed = await this.changeIn(tx, scope, item, released);
    await this.items.leaveGroup(tx, changed);
    return changed;
  }

  private async changeIn(tx: WriteTx, scope: Scope, item: QueueItemRow | null, next: Next): Promise<QueueItemRow> {
    if (!item) throw queueItemNotFound();
    const changed = next(item);
    if (changed === item) return changed;
    Object.assign(item, changed);
    await this.events.emitWire(tx, scope, [queueItemUpdated(changed)]);
    return changed;
  }
}
