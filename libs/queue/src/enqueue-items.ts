import { randomInt } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import {
  dottedPath,
  getOrMake,
  isStorableText,
  REVIEW_TARGETS,
  type Enqueue,
  type EnqueueTargets,
  type EnqueueTerms,
  type QueueOrder,
  type ReviewTarget,
} from '@spandrel/contract';
import { datapointKind, DatapointStore, datasetNotFound, DatasetStore } from '@spandrel/datasets';
import {
  CALLER_DIRECTORY,
  CoreSettings,
  Invalid,
  invalidRequest,
  newId,
  NotFound,
  type CallerDirectory,
  type Scope,
} from '@spandrel/kernel';
import { maskDatapoint, maskKey, ProjectMasking } from '@spandrel/masking';
import {
  attempt,
  FindTargets,
  scoreDefinition,
  ScoreDefinitionStore,
  ScoreStore,
  type ScoreDefinitionRow,
} from '@spandrel/scores';
import { fromJsonText, Storage, type WriteTx } from '@spandrel/storage';
import { checkReview } from './check-review.js';
import { OF_TARGETS, type QueueItemRow, QUEUE_STATUS, type QueueTarget, unitOfTarget } from './queue-item.entity.js';
import { QueueItemStore } from './queue-item.store.js';
import { endsOf } from './review.store.js';

/** Datapoints that are brought into memory at once, before it is known how large they are. */
const DATAPOINTS_AT_ONCE = 16;
const TARGETS_AT_ONCE = 500;

/** Text of all items that one request may enqueue or be answered with, about: the answer shows them whole. */
const ENQUEUE_TEXT_MAX = 64 * 1024 * 1024;

/** An id that a client made up may be of any length. */
const SHOWN_ID_LENGTH_MAX = 128;

interface EnqueuedRows {
  items: QueueItemRow[];
  /** How many units had open items before. */
  existing: number;
}

/** Places that items of one priority may have. */
const PLACE_MAX = 1_000_000;

/** What is reviewed: a datapoint with its data, or a trace, a span or a session. */
type Subject = Pick<QueueItemRow, 'originalData'> & QueueTarget;

interface Unit {
  subject: Subject;
  /** Id of what judges have scored, if anything: the span of a datapoint. */
  scored: string | null;
  gold: string | null;
}

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
    private readonly scores: ScoreStore,
    private readonly core: CoreSettings,
    private readonly modules: ModuleRef,
  ) {}

  /**
   * `POST /api/datasets/:id/queue`. Makes pending items of each datapoint, as many as reviews are required, where they are
   * not there; all or nothing (docs/spec/queue.md#enqueuing-datapoints).
   * @returns the open items of each datapoint, new or not, in the order of first mention, and how many datapoints had one before.
   * @throws NotFound `dataset_not_found`; `datapoint_not_found` with every id there is no datapoint for. Invalid
   *   `payload_too_large` when the items are too large for one answer, `validation_failed` for a form without definition
   *   and, in cloud mode, for a reviewer whom nobody knows.
   */
  async enqueueDatapoints(
    scope: Scope,
    datasetId: string,
    { datapoint_ids: given, ...asked }: Enqueue,
  ): Promise<EnqueuedRows> {
    const terms = await this.withReviewers(scope, asked);
    const ids = mixIds(given, terms);
    const masking = await this.masking.of(scope);
    return this.storage.write(async (tx) => {
      // Locked, so that nobody else enqueues the same datapoints or deletes them meanwhile.
      if (!(await this.datasets.findForWrite(tx, scope, datasetId))) throw datasetNotFound();
      const definitions = await this.findDefinitions(tx, scope, terms);
      const golds = knownAnswers(terms, definitions);
      const load = async (wanted: readonly string[]): Promise<Map<string, Unit>> => {
        const loaded = new Map<string, Unit>();
        for (const datapoint of await this.datapoints.findForWrite(tx, scope, datasetId, wanted)) {
          // The datapoint may have been stored before there were rules.
          const kind = datapointKind(datapoint);
          const shown = masking ? await masking.run((calls) => maskDatapoint(calls, kind)) : kind;
          const subject = { originalData: JSON.stringify(shown), ...NO_TARGET };
          loaded.set(datapoint.id, { subject, scored: datapoint.sourceSpanId, gold: golds.get(datapoint.id) ?? null });
        }
        return loaded;
      };
      const queue = { datasetId, load, definitions, kind: 'span' as const, atOnce: DATAPOINTS_AT_ONCE };
      const { items, existing } = await this.enqueue(tx, scope, queue, terms, ids);
      if (items.size < ids.length) throw unknown('datapoint', ' in this dataset', given, terms, [ids, items]);
      return { items: ids.flatMap((id) => items.get(id)!), existing };
    });
  }

  /**
   * `POST /api/queue`: like {@link enqueueDatapoints} for traces, spans or sessions (docs/spec/queue.md#reviews-of-traces).
   * @throws NotFound `trace_not_found`, `span_not_found` or `session_not_found` with every id there is none for.
   */
  async enqueueTargets(scope: Scope, body: EnqueueTargets): Promise<EnqueuedRows> {
    const { trace_ids: _traces, span_ids: _spans, session_ids: _sessions, ...asked } = body;
    const kind = REVIEW_TARGETS.find((target) => body[`${target}_ids`])!;
    const ofKind = body[`${kind}_ids`]!;
    const { given, terms } = await this.withStoredIds(scope, kind, ofKind, await this.withReviewers(scope, asked));
    const ids = mixIds(given, terms);
    return this.storage.write(async (tx) => {
      await this.items.lockTargets(tx, scope);
      const definitions = await this.findDefinitions(tx, scope, terms);
      const golds = knownAnswers(terms, definitions);
      const targetOf = await this.targets.find(
        tx,
        scope,
        ids.map((id) => ({ [`${kind}_id`]: id })),
      );
      const known = new Map<string, Unit>();
      for (const id of ids) {
        attempt(() => {
          const { traceId, spanId, sessionId } = targetOf({ [`${kind}_id`]: id });
          const subject = { originalData: 'null', traceId, spanId, sessionId };
          known.set(id, { subject, scored: id, gold: golds.get(id) ?? null });
        });
      }
      if (known.size < ids.length) throw unknown(kind, '', given, terms, [ids, known]);
      const subjects = new Map(known.values().map((unit) => [unitOfTarget(unit.subject), unit]));
      const load = () => Promise.resolve(subjects);
      const queue = { datasetId: OF_TARGETS, load, definitions, kind, atOnce: TARGETS_AT_ONCE };
      const { items, existing } = await this.enqueue(tx, scope, queue, terms, [...subjects.keys()]);
      return { items: [...subjects.keys()].flatMap((unit) => items.get(unit)!), existing };
    });
  }

  /** Sessions by the ids that their traces have where these are masked (docs/spec/masking.md#ids-of-sessions-and-users). */
  private async withStoredIds(scope: Scope, kind: ReviewTarget, given: readonly string[], terms: EnqueueTerms) {
    const masking = kind === 'session' ? await this.masking.of(scope) : null;
    if (!masking) return { given, terms };
    return masking.run((calls) => {
      const stored = (id: string): string => maskKey(calls, id);
      const items = terms.gold?.items.map((item) => ({ ...item, id: stored(item.id) })) ?? [];
      return { given: given.map(stored), terms: { ...terms, gold: terms.gold && { ...terms.gold, items } } };
    });
  }

  /** The terms with the ids of reviewers. @throws Invalid in cloud mode with the path of each who is nobody that may review. */
  private async withReviewers(scope: Scope, terms: EnqueueTerms): Promise<EnqueueTerms> {
    const { assignees, adjudicators } = terms;
    const names = [...(assignees ?? []), ...(adjudicators ?? [])];
    if (this.core.mode === 'local' || names.length === 0) return terms;
    const directory = this.modules.get<CallerDirectory>(CALLER_DIRECTORY, { strict: false });
    const ids = await directory.findReviewers(scope, names.filter(isStorableText));
    const faults = Object.entries({ assignees, adjudicators }).flatMap(([member, given]) =>
      (given ?? []).flatMap((name, at) =>
        ids.has(name) ? [] : [{ path: `${member}[${at}]`, message: `may not review here: ${shownId(name)}` }],
      ),
    );
    if (faults.length > 0) throw invalidRequest(faults);
    const idsOf = (given: typeof assignees) => given && [...new Set(given.map((name) => ids.get(name)!))];
    return { ...terms, assignees: idsOf(assignees), adjudicators: idsOf(adjudicators) };
  }

  /** @returns the open items of each unit that there is, new or not, and how many units had some before. */
  private async enqueue(
    tx: WriteTx,
    scope: Scope,
    { atOnce, ...queue }: QueueOfItems,
    given: EnqueueTerms,
    units: readonly string[],
  ): Promise<{ items: Map<string, QueueItemRow[]>; existing: number }> {
    const { reviews_required: required, order } = given;
    const wanted = {
      ...queue,
      required: required ?? 1,
      order: order ?? (given.until ? 'random' : 'oldest'),
      terms: termsOf(given),
    };
    const items = new Map<string, QueueItemRow[]>();
    let [length, existing] = [0, 0];
    for (let at = 0; at < units.length; at += atOnce) {
      const storable = units.slice(at, at + atOnce).filter(isStorableText);
      const { open, made, openUnits } = await this.itemsOf(tx, scope, wanted, storable);
      existing += openUnits;
      for (const item of [...open, ...made]) {
        getOrMake(items, item.datapointId, () => []).push(item);
        length += item.originalData.length;
      }
      if (length > ENQUEUE_TEXT_MAX) throw tooLarge();
      await nextTurn();
    }
    return { items, existing };
  }

  /** Definitions of what is asked and known. @throws Invalid for a form without definition. */
  private async findDefinitions(tx: WriteTx, scope: Scope, { form: asked, gold }: EnqueueTerms) {
    const form = asked ?? [];
    const known = await this.definitions.findByNames(tx, scope, [
      ...form,
      ...(gold?.items ?? []).flatMap(({ scores }) => scores.map(({ name }) => name)),
    ]);
    const errors = form.flatMap((name, at) =>
      known.has(name) ? [] : [{ path: `form[${at}]`, message: `there is no score definition "${name}"` }],
    );
    if (errors.length > 0) throw new Invalid('validation_failed', `${errors[0]!.path} ${errors[0]!.message}`, errors);
    return known;
  }

  /** The open items of units, made where they are missing; nothing for what is not there. */
  private async itemsOf(
    tx: WriteTx,
    scope: Scope,
    { datasetId, load, required, order, kind, definitions, terms }: WantedItems,
    units: readonly string[],
  ): Promise<{ open: QueueItemRow[]; openUnits: number; made: QueueItemRow[] }> {
    const open = Map.groupBy(await this.items.findOpen(tx, scope, datasetId, units), (item) => item.datapointId);
    const groupIds = [...open.values()].flatMap(([item]) => item!.groupId ?? []);
    const groups = Map.groupBy(await this.items.findOfGroups(tx, scope, groupIds), (item) => item.groupId);
    const missingOf = (unit: string): number => {
      const [item] = open.get(unit) ?? [];
      const reviews = groups.get(item?.groupId ?? null)?.filter(({ adjudicates }) => adjudicates === 0);
      return required - (item ? (reviews?.length ?? 1) : 0);
    };
    const left = units.filter((unit) => missingOf(unit) > 0);
    const loaded = await load(left);
    const placeOf = await this.placesOf(scope, { order, kind, definitions, form: terms.form }, loaded);
    const added: QueueItemRow[] = [];
    for (const unit of left) {
      const found = loaded.get(unit);
      if (!found) continue;
      const { subject, gold } = found;
      const [first] = open.get(unit) ?? [];
      const groupId = required > 1 ? (first?.groupId ?? newId()) : null;
      if (first && first.groupId !== groupId) await this.beginGroup(tx, first, groupId!, required);
      const group = { groupId, reviewsRequired: required };
      for (let no = required - missingOf(unit) + 1; no <= required; no++) {
        const item = { ...pendingItem(scope, datasetId, unit), ...subject, ...terms, ...group, reviewNo: no };
        added.push({ ...item, gold, position: placeOf(found) });
      }
    }
    await this.items.insert(tx, added);
    return { open: [...open.values()].flat(), openUnits: open.size, made: added };
  }

  /** Where units stand among others of their priority: by chance, or those first whose judges were nearest to the middle. */
  private async placesOf(
    scope: Scope,
    { order, kind, definitions, form }: Pick<WantedItems, 'order' | 'kind' | 'definitions'> & { form: string },
    units: ReadonlyMap<string, Unit>,
  ): Promise<(unit: Unit) => number> {
    if (order === 'oldest') return () => 0;
    if (order === 'random') {
      const places = new Map(units.values().map((unit) => [unit, randomInt(PLACE_MAX)]));
      return (unit) => places.get(unit)!;
    }
    const ids = [...units.values()].flatMap(({ scored }) => scored ?? []);
    const names = fromJsonText(form) as string[];
    const sums = await this.scores.sumBy(scope, kind, ids, 'judge');
    const distances = new Map<string, number>();
    for (const { id, name, values, total } of sums) {
      if (values === 0 || (names.length > 0 && !names.includes(name))) continue;
      const found = definitions.get(name);
      const [min, max] = endsOf(found && scoreDefinition(found));
      const distance = Math.abs(total / values - (min + max) / 2) / (max - min || 1);
      distances.set(id, Math.min(distances.get(id) ?? 1, distance));
    }
    let last = 0;
    // One with known answers stands where the one before it does.
    return ({ scored, gold }) =>
      (last = gold === null ? Math.round(PLACE_MAX * Math.min(1, distances.get(scored ?? '') ?? 1)) : last);
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
  load: (units: readonly string[]) => Promise<ReadonlyMap<string, Unit>>;
  /** What judges have scored. */
  kind: ReviewTarget;
  definitions: ReadonlyMap<string, ScoreDefinitionRow>;
  atOnce: number;
}

type Terms = Pick<
  QueueItemRow,
  'form' | 'instructions' | 'rank' | 'blind' | 'selectedBy' | 'assignees' | 'adjudicators' | 'ciWidth'
>;

type WantedItems = Omit<QueueOfItems, 'atOnce'> & { required: number; order: QueueOrder; terms: Terms };

const termsOf = ({ form, instructions, priority, blind, ...given }: EnqueueTerms): Terms => ({
  form: JSON.stringify(form ?? []),
  instructions: instructions ?? null,
  rank: 0 - (priority ?? 0),
  blind: blind === false ? 0 : 1,
  // What a judge was unsure of says nothing of all the rest.
  selectedBy: given.order === 'uncertain' ? 'uncertain' : (given.selected_by ?? null),
  assignees: JSON.stringify(given.assignees ?? []),
  ciWidth: given.until?.ci_width ?? null,
  adjudicators: given.adjudicate ? JSON.stringify(given.adjudicators ?? []) : null,
});

/** The known answers by the ids of what they are about. @throws Invalid where they are not those of the form. */
const knownAnswers = ({ form, gold }: EnqueueTerms, definitions: QueueOfItems['definitions']): Map<string, string> =>
  new Map(
    gold?.items.map(({ id, scores }, at) => {
      const asked = { form: JSON.stringify(form ?? []) };
      return [id, checkReview(asked, { scores }, definitions, `gold.items[${at}].`).answers];
    }),
  );

/** Ids in the order of their items, those with known answers mixed in at random places, as many as their rate asks for. */
function mixIds(given: readonly string[], { gold }: EnqueueTerms): string[] {
  const known = new Set(gold?.items.map(({ id }) => id));
  const ids = [...new Set(given)].filter((id) => !known.has(id));
  const wanted = gold ? Math.round((ids.length * gold.rate) / (1 - gold.rate)) : 0;
  for (const id of [...known].slice(0, wanted)) ids.splice(randomInt(ids.length + 1), 0, id);
  return ids;
}

/** Ids are made under the lock of the queue, so that the order of the queue is the order in which items came. */
export const pendingItem = (
  scope: Scope,
  datasetId: string,
  unit: string,
): Omit<QueueItemRow, keyof Terms | keyof Subject | 'groupId' | 'reviewsRequired' | 'reviewNo' | 'position'> => ({
  projectId: scope.projectId,
  id: newId(),
  datasetId,
  datapointId: unit,
  status: QUEUE_STATUS.pending,
  ...{ claimedBy: null, claimedByName: null, claimedAt: null },
  editedData: null,
  createdAt: Date.now(),
  ...{ scores: '[]', answers: '[]', comment: null, skipped: 0, completedAt: null, adjudicates: 0, gold: null },
});

/** @param given the ids as they were sent. */
function unknown(
  what: ReviewTarget | 'datapoint',
  where: string,
  given: readonly string[],
  { gold }: EnqueueTerms,
  [ids, known]: readonly [wanted: readonly string[], known: ReadonlyMap<string, unknown>],
): NotFound {
  const golds = (gold?.items ?? []).map(({ id }, at) => [id, ['gold', 'items', at, 'id']] as const);
  const wanted = new Set(ids);
  const places = new Map<string, readonly (string | number)[]>();
  for (const [id, place] of [...given.map((each, at) => [each, [`${what}_ids`, at]] as const), ...golds]) {
    if (wanted.has(id) && !known.has(id) && !places.has(id)) places.set(id, place);
  }
  const errors = [...places].map(([id, place]) => ({
    path: dottedPath([...place]),
    message: `there is no ${what} ${shownId(id)}${where}`,
  }));
  const some = errors.length === 1 ? `one of the ${what}s is` : `${errors.length} of the ${what}s are`;
  return new NotFound(`${what}_not_found`, `${some} not ${where.trim() || 'there'}; nothing was enqueued`, errors);
}

const shownId = (id: string): string => JSON.stringify(id.slice(0, SHOWN_ID_LENGTH_MAX));

const tooLarge = (): Invalid =>
  new Invalid('payload_too_large', 'these datapoints are too large for one answer; enqueue fewer at once');
