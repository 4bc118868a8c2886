import { Injectable } from '@nestjs/common';
import { AuditTrail } from '@spandrel/audit';
import {
  fieldErrors,
  ingestScoreSchema,
  type CreateScore,
  type IngestRejection,
  type IngestScore,
  type RejectedItem,
  type RestoredScore,
  type UpdateScore,
} from '@spandrel/contract';
import { Conflict, DomainError, Invalid, newId, type Scope } from '@spandrel/kernel';
import { maskScore, ProjectMasking } from '@spandrel/masking';
import { Storage, toJsonText, type WriteTx } from '@spandrel/storage';
import type { IngestedScores } from '@spandrel/tracing';
import { scoreTable, type ScoreDefinitionRow, type ScoreRow } from './score.entity.js';
import { ScoreDefinitionStore } from './score-definition.store.js';
import { FindTargets, type GivenTarget, type Target } from './find-targets.js';
import { ScoringRulesPort } from './scoring-rules-port.js';
import { addRevision, isSameVerdict, misfitOf, withCategoryValue, type Verdict } from './score-resource.js';
import { ScoreStore } from './score.store.js';

/** Scores that one transaction of an ingest writes. */
const SCORES_AT_ONCE = 200;

/** How long after the start of a trace a public key may send feedback on it. */
const FEEDBACK_MS = 86_400_000;

/** JSON of the metadata that a public key may send, in UTF-16 units. */
const FEEDBACK_METADATA_MAX = 4_096;

/** Makes, changes and deletes scores (docs/spec/scores.md). */
@Injectable()
export class WriteScores {
  constructor(
    private readonly storage: Storage,
    private readonly scores: ScoreStore,
    private readonly definitions: ScoreDefinitionStore,
    private readonly targets: FindTargets,
    private readonly masking: ProjectMasking,
    private readonly audit: AuditTrail,
    private readonly rules: ScoringRulesPort,
  ) {}

  /**
   * Makes a score; one that is there already, with the same members, is answered as it is.
   * @param author who counts as its author where the body names nobody.
   * @param isFeedback whether a public key sends it: source and author are not the body's then, and its trace is a recent one.
   * @throws NotFound `trace_not_found`, `span_not_found` or `session_not_found` for what it is about, Invalid where it
   *   does not fit its definition, Conflict `id_conflict`, DomainError `insufficient_scope` for feedback on an older trace.
   */
  async create(scope: Scope, body: CreateScore, author: string, isFeedback = false): Promise<ScoreRow> {
    if (isFeedback && JSON.stringify(body.metadata ?? {}).length > FEEDBACK_METADATA_MAX) {
      throw invalidAt('metadata', `must have at most ${FEEDBACK_METADATA_MAX} characters of JSON with this credential`);
    }
    const own = isFeedback ? { source: 'end_user' as const, author } : { author: body.author ?? author };
    const [given] = await this.masked(scope, [{ ...body, id: body.id ?? newId(), ...own }]);
    const now = Date.now();
    const since = isFeedback ? now - FEEDBACK_MS : undefined;
    return this.storage.write(async (tx) => {
      const targetOf = await this.targets.find(tx, scope, [given!], since);
      const definitions = await this.definitions.findByNames(tx, scope, [given!.name]);
      const score = newScore(scope, given!, targetOf(given!), definitions, now);
      const before = await this.scores.findForWrite(tx, scope, score.id);
      if (!before) await this.save(tx, scope, [score], []);
      else if (!isSameScore(before, score)) throw idTaken();
      return before ?? score;
    });
  }

  /** Changes the members given; what it said before is kept as a revision. @throws NotFound, Invalid as {@link create}. */
  async update(scope: Scope, id: string, body: UpdateScore): Promise<ScoreRow> {
    const [given] = await this.masked(scope, [body]);
    const now = Date.now();
    return this.storage.write(async (tx) => {
      const score = await this.scores.getForWrite(tx, scope, id);
      const before = { ...score };
      change(score, given!, await this.definitions.findByNames(tx, scope, [score.name]), now);
      await this.save(tx, scope, [], [{ before, after: score }]);
      return score;
    });
  }

  /** @throws NotFound `score_not_found`. */
  async delete(scope: Scope, id: string): Promise<void> {
    await this.storage.write(async (tx) => {
      const score = await this.scores.getForWrite(tx, scope, id);
      await this.scores.delete(tx, score);
      this.audit.record(tx, { action: 'score.deleted', ...scope, targetId: id, targetName: score.name });
    });
  }

  /**
   * Upserts the scores of an ingest by their ids, each taken whole or rejected whole; members given replace.
   * @returns once they are durable.
   */
  async ingest(scope: Scope, items: readonly unknown[], author: string): Promise<IngestedScores> {
    const result: IngestedScores = { accepted: 0, rejected: [] };
    for (let from = 0; from < items.length; from += SCORES_AT_ONCE) {
      const rejected: IngestRejection[] = [];
      const reject = (index: number, code: string, message: string): void =>
        void rejected.push({ index, collection: 'scores', code, message });
      const valid = items.slice(from, from + SCORES_AT_ONCE).flatMap((item, at) => {
        const parsed = ingestScoreSchema.safeParse(item);
        if (parsed.success) return [{ ...parsed.data, author: parsed.data.author ?? author, index: from + at }];
        const faults = fieldErrors(parsed.error).map(({ path, message }) => `${path} ${message}`.trim());
        reject(from + at, 'validation_failed', faults.join('; '));
        return [];
      });
      const given = await this.masked(scope, valid);
      const refused = await this.storage.write((tx) => this.upsert(tx, scope, given, Date.now()));
      for (const [{ index }, { code, message }] of refused) reject(index, code, message);
      result.accepted += valid.length - refused.size;
      result.rejected.push(...rejected.toSorted((a, b) => a.index - b.index));
    }
    return result;
  }

  /**
   * Makes the answers of reviews scores of what was reviewed, or of the span that the datapoint came from (id
   * `review:ITEM:NAME`, source `human`); nothing where that is gone, and for scores that are there already.
   */
  async addReviews(tx: WriteTx, scope: Scope, target: GivenTarget, reviews: readonly GivenReview[]): Promise<void> {
    const targetOf = await this.targets.find(tx, scope, [target]);
    const names = reviews.flatMap(({ answers }) => answers.map(({ name }) => name));
    const definitions = await this.definitions.findByNames(tx, scope, names);
    const scores: ScoreRow[] = [];
    if (attempt(() => targetOf(target))) return;
    for (const { itemId, reviewer, selectedBy, answers, at } of reviews) {
      const metadata = selectedBy === null ? {} : { selected_by: selectedBy };
      for (const answer of answers) {
        const id = `review:${itemId}:${answer.name}`;
        const given = { ...answer, id, author: reviewer, source: 'human' as const, metadata };
        const add = (known: Definitions) =>
          scores.push({ ...newScore(scope, given, targetOf(target), known, at), queueItemId: itemId });
        // The definition may have changed since it was answered.
        if (attempt(() => void add(definitions))) add(new Map());
      }
    }
    const ids = scores.map(({ id }) => id);
    const here = new Set((await this.scores.findSomeForWrite(tx, scope, ids)).map(({ id }) => id));
    const missing = scores.filter(({ id }) => !here.has(id));
    await this.save(tx, scope, missing, []);
  }

  /**
   * Upserts scores that a scoring rule gave; what they said before is kept as a revision.
   * @param given with their comments masked ({@link masked}).
   * @returns why some cannot be one: their target is gone, or they do not fit their definition.
   */
  async putOfRule(tx: WriteTx, scope: Scope, given: readonly RuleScore[], now: number) {
    return given.length === 0 ? new Map<RuleScore, DomainError>() : this.upsert(tx, scope, given, now);
  }

  /** Upserts scores of an export in one transaction. @returns those whose trace or session is not here. */
  restore(scope: Scope, items: readonly RestoredScore[]): Promise<RejectedItem<RestoredScore>[]> {
    return this.storage.write(async (tx) => {
      const rejected: RejectedItem<RestoredScore>[] = [];
      const targetOf = await this.targets.find(tx, scope, items);
      const here = await this.scores.findSomeForWrite(
        tx,
        scope,
        items.map(({ id }) => id),
      );
      const stored = here.map((score) => ({ before: { ...score }, after: score }));
      const added = new Map<string, ScoreRow>();
      for (const item of items) {
        const refusal = attempt(() => {
          const score = restoredScore(scope, item, targetOf(item));
          const before = here.find(({ id }) => id === item.id) ?? added.get(item.id);
          if (before) Object.assign(before, score);
          else added.set(item.id, score);
        });
        if (refusal) rejected.push({ item, code: refusal.code, message: refusal.message });
      }
      await this.scores.insert(tx, [...added.values()]);
      await this.scores.update(tx, stored);
      return rejected;
    });
  }

  /** @returns those that were refused. */
  private async upsert<Given extends IngestScore & { author: string; ruleId?: string }>(
    tx: WriteTx,
    scope: Scope,
    given: readonly Given[],
    now: number,
  ): Promise<Map<Given, DomainError>> {
    const refused = new Map<Given, DomainError>();
    const targetOf = await this.targets.find(tx, scope, given);
    const definitions = await this.definitions.findByNames(
      tx,
      scope,
      given.map(({ name }) => name),
    );
    const here = await this.scores.findSomeForWrite(
      tx,
      scope,
      given.map(({ id }) => id),
    );
    const known = new Map(here.map((score) => [score.id, score]));
    const stored = here.map((score) => ({ before: { ...score }, after: score }));
    const added: ScoreRow[] = [];
    for (const item of given) {
      const refusal = attempt(() => {
        const score = newScore(scope, item, targetOf(item), definitions, now);
        const before = known.get(item.id);
        if (before) {
          const isRenamed = before.name !== score.name && score.ruleId === null;
          if (isRenamed || !isAboutTheSame(before, score)) throw idTaken();
          change(before, item, definitions, now);
        } else {
          known.set(item.id, score);
          added.push(score);
        }
      });
      if (refusal) refused.set(item, refusal);
    }
    await this.save(tx, scope, added, stored);
    return refused;
  }

  private async save(
    tx: WriteTx,
    scope: Scope,
    added: readonly ScoreRow[],
    changed: readonly { before: ScoreRow; after: ScoreRow }[],
  ): Promise<void> {
    await this.scores.insert(tx, added);
    await this.scores.update(tx, changed);
    const differ = changed.filter(({ before, after }) => !isSameVerdict(before, after)).map(({ after }) => after);
    const ofOthers = [...added, ...differ].filter(({ ruleId, source }) => ruleId === null && source !== 'judge');
    if (ofOthers.length > 0) await this.rules.onScores?.(tx, scope, ofOthers);
  }

  /** Scores with their texts, and the session that they are about, as the rules of the project mask them. */
  async masked<Given extends UpdateScore>(scope: Scope, given: readonly Given[]): Promise<readonly Given[]> {
    const masking = await this.masking.of(scope);
    return masking ? masking.run((calls) => given.map((score) => maskScore(calls, score))) : given;
  }
}

export interface GivenReview {
  itemId: string;
  reviewer: string;
  /** Why it was chosen; `null`: it is not known. */
  selectedBy: string | null;
  answers: readonly (Verdict & { name: string })[];
  /** When it was submitted, in ms since the epoch. */
  at: number;
}

export type RuleScore = IngestScore & { author: string; ruleId: string };

type Definitions = ReadonlyMap<string, ScoreDefinitionRow>;

/** @throws Invalid where it does not fit its definition. */
function newScore(
  { projectId }: Scope,
  given: CreateScore & { id?: string | null | undefined; ruleId?: string },
  target: Target,
  definitions: Definitions,
  now: number,
): ScoreRow {
  const definition = definitions.get(given.name);
  const said = { value: given.value ?? null, label: given.label ?? null, comment: given.comment ?? null };
  const verdict = withCategoryValue(said, definition);
  return {
    ...{ projectId, id: given.id!, name: given.name, ...verdict, ...target },
    ...{ source: given.source ?? 'code', author: given.author!, ruleId: given.ruleId ?? null, queueItemId: null },
    config: assertFit(verdict, definition),
    metadata: JSON.stringify(given.metadata ?? {}),
    isRandom: isRandom(given.metadata),
    ...{ revisions: '[]', createdAt: now, updatedAt: now },
  };
}

/** Changes the members given. @throws Invalid where nothing is left of it, or where it does not fit its definition. */
function change(score: ScoreRow, given: UpdateScore & { name?: string }, definitions: Definitions, now: number): void {
  const { name = score.name } = given;
  const definition = definitions.get(name);
  const { label = score.label, comment = score.comment } = given;
  // A value goes with its label; one that was given before there were categories stays.
  const isOfLabel = definition?.kind === 'category' && (label !== null || score.label !== null);
  const { value = isOfLabel ? null : score.value } = given;
  const verdict = withCategoryValue({ value, label, comment }, definition);
  if (value === null && label === null && comment === null)
    throw invalidAt('value', 'is needed, or a label or a comment');
  const config = assertFit(verdict, definition);
  const metadata = given.metadata ? toJsonText(given.metadata)! : score.metadata;
  const author = given.author ?? score.author;
  const isSame = isSameVerdict(score, verdict) && name === score.name;
  if (isSame && metadata === score.metadata && author === score.author) return;
  const revisions = isSameVerdict(score, verdict) ? score.revisions : addRevision(score, now);
  Object.assign(score, verdict, { name, config, metadata, author, revisions, updatedAt: now });
  if (given.metadata) score.isRandom = isRandom(given.metadata);
}

function restoredScore({ projectId }: Scope, item: RestoredScore, target: Target): ScoreRow {
  return {
    ...{ ...scoreTable.membersOf(item), projectId, ...target },
    metadata: JSON.stringify(item.metadata),
    isRandom: isRandom(item.metadata),
    revisions: JSON.stringify(item.revisions),
  };
}

const isRandom = (metadata: Record<string, unknown> | null | undefined): 0 | 1 =>
  [undefined, null, 'random'].includes(metadata?.['selected_by'] as null) ? 1 : 0;

const isAboutTheSame = (stored: ScoreRow, sent: ScoreRow): boolean =>
  (['traceId', 'spanId', 'sessionId'] as const).every((member) => stored[member] === sent[member]);

/** Whether a score that is sent again is the stored one. */
const isSameScore = (stored: ScoreRow, sent: ScoreRow): boolean =>
  isSameVerdict(stored, sent) &&
  isAboutTheSame(stored, sent) &&
  (['name', 'source', 'author', 'metadata'] as const).every((member) => stored[member] === sent[member]);

const idTaken = (): Conflict => new Conflict('id_conflict', 'another score has this id');

/**
 * @param place what stands before the path of a fault. @returns the name of the definition, if there is one.
 * @throws Invalid where the score does not fit it.
 */
export function assertFit(verdict: Verdict, definition: ScoreDefinitionRow | undefined, place = ''): string | null {
  if (!definition) return null;
  const misfit = misfitOf(verdict, definition);
  if (misfit) throw invalidAt(`${place}${misfit.path}`, misfit.message);
  return definition.name;
}

const invalidAt = (path: string, message: string): Invalid =>
  new Invalid('validation_failed', `${path} ${message}`, [{ path, message }]);

/** @returns what was thrown, where the item is what is wrong. */
export function attempt(work: () => void): DomainError | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    if (error instanceof DomainError) return error;
    throw error;
  }
}
