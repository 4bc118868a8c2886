import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { NotifyMention, type MentionMessage } from '@spandrel/alerts';
import { AuditTrail } from '@spandrel/audit';
import {
  fromColumns,
  commentSchema,
  COMMENT_TARGETS,
  isStorableText,
  type CommentTarget,
  type CreateComment,
  type ListComments,
} from '@spandrel/contract';
import type { CommentResource, RejectedItem, RestoredComment, TargetOfComment } from '@spandrel/contract';
import { datapointNotFound, DatapointStore, datasetNotFound, DatasetStore } from '@spandrel/datasets';
import { EvalResultStore, EvalRunStore } from '@spandrel/evals';
import { Conflict, DomainError, newId, NotFound, projectScope, type Scope } from '@spandrel/kernel';
import { ProjectMasking } from '@spandrel/masking';
import { anyOf, joinSql, ProjectRows, rawSql, sql, Storage, type Page, type WriteTx } from '@spandrel/storage';
import { SpanLookups, spanNotFound, traceNotFound, TraceStore, type TracingChange } from '@spandrel/tracing';
import { authorOf, createdBy, namesIn, type Teammate } from './author.js';
import { Comment, commentTable, type CommentRow } from './collaboration.entity.js';

const typeOf = (target: CommentTarget): number => COMMENT_TARGETS.indexOf(target);

/** Comments, their texts masked by the rules of the project (docs/spec/collaboration.md#comments). */
@Injectable()
export class CommentStore extends ProjectRows<CommentRow> {
  constructor(
    storage: Storage,
    private readonly masking: ProjectMasking,
    private readonly audit: AuditTrail,
    private readonly traces: TraceStore,
    private readonly spans: SpanLookups,
    private readonly datasets: DatasetStore,
    private readonly datapoints: DatapointStore,
    private readonly runs: EvalRunStore,
    private readonly results: EvalResultStore,
    private readonly modules: ModuleRef,
  ) {
    const of = { entity: Comment, table: commentTable, list: 'comments', notFound: commentNotFound };
    super(storage, { ...of, size: rawSql('octet_length(r.text)') });
  }

  /** Oldest first. @throws Invalid `invalid_cursor`. */
  override list(scope: Scope, query: ListComments): Promise<Page<CommentRow>> {
    const { target_type: type, target_id: targetId, parent_id: parentId } = query;
    const conditions = [type === undefined ? sql`1 = 1` : sql`r.target_type = ${typeOf(type)}`];
    for (const [column, id] of Object.entries({ parent_id: parentId, target_id: targetId })) {
      if (id !== undefined) conditions.push(isStorableText(id) ? sql`r.${rawSql(column)} = ${id}` : sql`1 = 0`);
    }
    return this.listWhere(scope, joinSql(conditions, ' and '), query);
  }

  /** @throws NotFound where the target is not there. */
  async create({ scope, author }: Teammate, body: CreateComment): Promise<CommentRow> {
    const comment = { ...body, id: newId(), author, created_at: Date.now(), edited_at: null };
    const row = await this.write(scope, comment, (tx, written) => this.mention(tx, written, ''));
    this.notices()?.hurry();
    return row;
  }

  /** Replaces the text of one's own. @throws NotFound, DomainError `insufficient_scope`. */
  async edit({ scope, author }: Teammate, id: string, text: string): Promise<CommentRow> {
    const masked = await this.mask(scope, text);
    const edited = await this.storage.write(async (tx) => {
      const row = await this.getForWrite(tx, scope, id);
      if (row.createdBy !== author.id) throw new DomainError('insufficient_scope', 'only its author may change it');
      const { text: before } = row;
      Object.assign(row, { text: masked, editedAt: Date.now() });
      await this.mention(tx, row, before);
      return row;
    });
    this.notices()?.hurry();
    return edited;
  }

  /** @param isAdmin whether the author may delete those of others. @throws NotFound, DomainError `insufficient_scope`. */
  async delete({ scope, author }: Teammate, isAdmin: boolean, id: string): Promise<void> {
    await this.storage.write(async (tx) => {
      const row = await this.getForWrite(tx, scope, id);
      if (row.createdBy !== author.id && !isAdmin)
        throw new DomainError('insufficient_scope', 'only its author or an administrator may delete it');
      const details = { author: row.createdBy, target_id: row.targetId };
      this.audit.record(tx, { action: 'comment.deleted', ...scope, targetId: id, details });
      tx.em.remove(row);
    });
  }

  /** Brings comments of an export back. @returns those whose target is not here, and those that stand here otherwise. */
  async restore(scope: Scope, restored: readonly RestoredComment[]): Promise<RejectedItem<RestoredComment>[]> {
    const rejected: RejectedItem<RestoredComment>[] = [];
    for (const item of restored) {
      try {
        await this.write(scope, item, keepOthers);
      } catch (error) {
        if (!(error instanceof NotFound || error instanceof Conflict)) throw error;
        rejected.push({ item, code: error.code, message: error.message });
      }
    }
    return rejected;
  }

  /** Deletes comments on targets of a type. @param parentIds what these go with. @param targetIds all when left out. */
  async deleteOf(
    tx: WriteTx,
    { projectId }: Scope,
    type: CommentTarget,
    parentIds: readonly string[],
    targetIds?: readonly string[],
  ): Promise<void> {
    const some = targetIds ? anyOf('target_id', targetIds) : sql`1 = 1`;
    await tx.run(
      sql`delete from comment where project_id = ${projectId} and ${anyOf('parent_id', parentIds)} and ${some}
        and target_type = ${typeOf(type)}`,
    );
  }

  /** Comments go with their traces and spans. */
  async followTracing(tx: WriteTx, changes: readonly TracingChange[]): Promise<void> {
    for (const change of changes) {
      if (change.type === 'cleared')
        await tx.run(
          sql`delete from comment where project_id = ${change.scope.projectId} and target_type <= ${typeOf('span')}`,
        );
    }
    const gone = changes.filter(({ type }) => type === 'trace_deleted' || type === 'span_deleted');
    for (const [projectId, ofProject] of Map.groupBy(gone, ({ scope }) => scope.projectId)) {
      const scope = projectScope(projectId);
      const traces = ofProject.flatMap((change) => (change.type === 'trace_deleted' ? change.trace.id : []));
      const spans = ofProject.flatMap((change) => (change.type === 'span_deleted' ? change.before : []));
      if (traces.length > 0)
        for (const type of ['trace', 'span'] as const) await this.deleteOf(tx, scope, type, traces);
      const parents = new Set(spans.map(({ traceId }) => traceId));
      const ids = spans.map(({ id }) => id);
      if (ids.length > 0) await this.deleteOf(tx, scope, 'span', [...parents], ids);
    }
  }

  /** @param alsoWrite what goes into the transaction with it, before it. */
  private async write(
    scope: Scope,
    comment: RestoredComment,
    alsoWrite?: (tx: WriteTx, row: CommentRow) => Promise<void>,
  ): Promise<CommentRow> {
    const { id, target_type: type, target_id: targetId, author, created_at: createdAt, edited_at: editedAt } = comment;
    const text = await this.mask(scope, comment.text);
    return this.storage.write(async (tx) => {
      const parentId = await this.lockTarget(tx, scope, comment);
      const target = { targetType: typeOf(type), targetId, parentId };
      const row = { projectId: scope.projectId, id, ...target, text, ...createdBy(author, createdAt), editedAt };
      await alsoWrite?.(tx, row);
      return tx.em.upsert(Comment, row);
    });
  }

  /** Has channels be sent whom a comment names that its text did not name before. */
  private async mention(tx: WriteTx, row: CommentRow, before: string): Promise<void> {
    const known = namesIn(before);
    const names = namesIn(row.text).filter((name) => !known.includes(name));
    if (names.length > 0) await this.notices()?.write(tx, projectScope(row.projectId), mentionOf(row, names));
  }

  /** Where mentions are sent from; nowhere without the feature `alerts`. */
  private notices(): NotifyMention | undefined {
    try {
      return this.modules.get(NotifyMention, { strict: false });
    } catch {
      return undefined;
    }
  }

  /** Keeps a target from going until the transaction ends. @returns what it goes with. @throws NotFound. */
  private async lockTarget(tx: WriteTx, scope: Scope, target: TargetOfComment): Promise<string> {
    const { target_type: type, target_id: id, parent_id: given } = target;
    const span = type === 'span' ? (await this.spans.findPlaces(tx, scope, [id])).get(id) : undefined;
    const parent = span?.traceId ?? (type === 'trace' ? id : (given ?? ''));
    if (type === 'datapoint') {
      if (!(await this.datasets.findForWrite(tx, scope, parent))) throw datasetNotFound();
      if ((await this.datapoints.idsForWrite(tx, scope, parent, [id])).length === 0) throw datapointNotFound();
    } else if (type === 'result') {
      await this.runs.getForWrite(tx, scope, parent);
      if (!(await this.results.processed(scope, parent, [id], tx)).has(id)) throw datapointNotFound();
    } else {
      if (type === 'span' && !span) throw spanNotFound();
      if ((await this.traces.loadForWrite(tx, scope, [parent])).length === 0) throw traceNotFound();
    }
    return parent;
  }

  private async mask(scope: Scope, text: string): Promise<string> {
    const masking = await this.masking.of(scope);
    return masking ? masking.run((calls) => calls.text(text, 'output')) : text;
  }
}

/** An import writes in nobody's name over what stands here. @throws Conflict for a comment of that id with other words. */
async function keepOthers({ em }: WriteTx, { projectId, id, createdBy: author, text }: CommentRow): Promise<void> {
  const here = await em.findOne(Comment, { projectId, id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
  if (here && (here.createdBy !== author || here.text !== text))
    throw new Conflict('id_conflict', 'a comment of this id is here, by somebody else or with another text');
}

function addressOf(type: CommentTarget, parent: string, id: string): string {
  if (type === 'trace') return `/traces/${id}`;
  if (type === 'span') return `/traces/${parent}?span=${id}`;
  return type === 'datapoint' ? `/datasets/${parent}/datapoints/${id}` : `/evaluations/${parent}?item=${id}`;
}

function mentionOf(row: CommentRow, names: string[]): MentionMessage['comment'] {
  const { id, target_type: type, target_id, parent_id, text, author } = commentResource(row);
  const url = addressOf(type, encodeURIComponent(parent_id), encodeURIComponent(target_id));
  return { id, names, author, target_type: type, target_id, parent_id, text, url };
}

export const commentNotFound = (): NotFound => new NotFound('comment_not_found', 'there is no comment with this id');

export const commentResource = (row: CommentRow): CommentResource =>
  fromColumns(commentSchema, row, { target_type: COMMENT_TARGETS[row.targetType]!, author: authorOf(row) });
