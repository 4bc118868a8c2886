import { hash, randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { AuditTrail } from '@spandrel/audit';
import { fromColumns, shareSchema, formatTimestamp } from '@spandrel/contract';
import type { PlainList, ReadSharedTrace, ScoreResource, ScoreSource, ShareResource } from '@spandrel/contract';
import type { Texts } from '@spandrel/http';
import { newId, NotFound, PROJECT_DIRECTORY, type ProjectDirectory, type Scope } from '@spandrel/kernel';
import { maskedJson, maskSpan, ProjectMasking } from '@spandrel/masking';
import { anyOf, ProjectRows, sql, Storage, type Page, type WriteTx } from '@spandrel/storage';
import { costOfSpan, PRICING, ReadTrace, SpanStore, spanTextsWith, traceNotFound, TraceStore } from '@spandrel/tracing';
import type { PricingTable, TracingChange } from '@spandrel/tracing';
import { authorOf, createdBy, type Teammate } from './author.js';
import { TraceShare, traceShareTable, type TraceShareRow } from './collaboration.entity.js';
import { SharingSettings } from './collaboration.settings.js';

/** How long a link opens its trace (docs/spec/collaboration.md#shared-traces). */
const LASTS_MS = 7 * 86_400_000;
/** How exactly is known when a link was last opened. */
const OPENED_EVERY_MS = 60_000;
/** 256 bits, base64url. */
const TOKEN_BYTES = 32;
const TOKEN = /^[\w-]{43}$/;

const digestOf = (token: string): string => hash('sha256', token, 'hex');

/** Links that open one trace, and what they open. Those that have ended are deleted when another one is made. */
@Injectable()
export class ShareStore extends ProjectRows<TraceShareRow> {
  constructor(
    storage: Storage,
    private readonly audit: AuditTrail,
    private readonly traces: TraceStore,
    private readonly reads: ReadTrace,
    private readonly spans: SpanStore,
    private readonly masking: ProjectMasking,
    private readonly settings: SharingSettings,
    private readonly modules: ModuleRef,
    @Inject(PRICING) private readonly pricing: PricingTable,
  ) {
    const [entity, table] = [TraceShare, traceShareTable];
    super(storage, { entity, table, list: 'shares', order: 'desc', notFound: shareNotFound });
  }

  /** @returns the share, and its token, which cannot be had again. @throws NotFound `trace_not_found`, `not_found`. */
  async create({ scope, author }: Teammate, traceId: string): Promise<{ row: TraceShareRow; token: string }> {
    if (!this.settings.isEnabled) throw new NotFound('not_found', 'sharing is turned off here (sharing.enabled)');
    const token = randomBytes(TOKEN_BYTES).toString('base64url');
    const { projectId } = scope;
    return this.storage.write(async (tx) => {
      // Locked, so that it is not deleted meanwhile.
      if ((await this.traces.loadForWrite(tx, scope, [traceId])).length === 0) throw traceNotFound();
      const now = Date.now();
      await tx.em.nativeDelete(TraceShare, { projectId, expiresAt: { $lte: now } });
      const ends = { expiresAt: now + LASTS_MS, openedAt: null };
      const row = { projectId, id: newId(), traceId, digest: digestOf(token), ...createdBy(author, now), ...ends };
      tx.em.create(TraceShare, row);
      const details = { trace_id: traceId, expires_at: formatTimestamp(row.expiresAt) };
      this.audit.record(tx, { action: 'share.created', ...scope, targetId: row.id, details });
      return { row, token };
    });
  }

  /** The links that open something, newest first. @throws Invalid `invalid_cursor`. */
  override list(scope: Scope, query: PlainList): Promise<Page<TraceShareRow>> {
    return this.listWhere(scope, sql`r.expires_at > ${Date.now()}`, query);
  }

  /** @throws NotFound `share_not_found`. */
  async revoke(scope: Scope, id: string): Promise<void> {
    await this.storage.write(async (tx) => {
      const row = await this.getForWrite(tx, scope, id);
      tx.em.remove(row);
      this.audit.record(tx, { action: 'share.revoked', ...scope, targetId: id, details: { trace_id: row.traceId } });
    });
  }

  /** Links go with their traces. */
  async followTraces(tx: WriteTx, changes: readonly TracingChange[]): Promise<void> {
    const gone = changes.filter(({ type }) => type === 'trace_deleted' || type === 'cleared');
    for (const [projectId, ofProject] of Map.groupBy(gone, ({ scope }) => scope.projectId)) {
      const ids = ofProject.flatMap((change) => (change.type === 'trace_deleted' ? change.trace.id : []));
      const which = ids.length < ofProject.length ? sql`1 = 1` : anyOf('trace_id', ids);
      await tx.run(sql`delete from trace_share where project_id = ${projectId} and ${which}`);
    }
  }

  /** @param signal fires when the client leaves. @returns the JSON of the trace and the outlines of its spans. @throws NotFound `share_not_found`. */
  async readTrace(token: string, { preview }: ReadSharedTrace, signal: AbortSignal): Promise<Readable> {
    const { scope, traceId } = await this.open(token);
    const masking = await this.masking.of(scope);
    return this.reads.execute({ ...scope, signal }, traceId, { preview, view: 'outline' }, masking, withoutReviewers);
  }

  /** @returns the JSON of a span with its cost. @throws NotFound `share_not_found`, also for one of another trace. */
  async readSpan(token: string, id: string): Promise<Texts> {
    const { scope, traceId } = await this.open(token);
    const span = await this.spans.find(scope, id);
    if (span?.traceId !== traceId) throw shareNotFound();
    const texts = spanTextsWith(span, { cost: costOfSpan(span, this.pricing) });
    const masking = await this.masking.of(scope);
    if (!masking) return texts;
    // The texts may be older than the rules.
    return maskedJson<object>(texts.join(''), masking, maskSpan);
  }

  /** What a token opens, noted as opened. @throws NotFound `share_not_found`, the same for each that opens nothing. */
  private async open(token: string): Promise<{ scope: Scope; traceId: string }> {
    const now = Date.now();
    const known = { digest: digestOf(token), expiresAt: { $gt: now } };
    const isToken = this.settings.isEnabled && TOKEN.test(token);
    const row = isToken ? await this.storage.find((em) => em.findOne(TraceShare, known)) : null;
    const directory = this.modules.get<ProjectDirectory>(PROJECT_DIRECTORY, { strict: false });
    // A project that is being deleted has none any more.
    const orgId = row && (await directory.organizationOf(row.projectId));
    if (!row || orgId === undefined || orgId === null) throw shareNotFound();
    const { projectId, id, traceId, openedAt } = row;
    if (openedAt === null || openedAt < now - OPENED_EVERY_MS) {
      await this.storage.write((tx) => tx.em.nativeUpdate(TraceShare, { projectId, id }, { openedAt: now }));
    }
    return { scope: { orgId, projectId }, traceId };
  }
}

export const shareNotFound = (): NotFound =>
  new NotFound('share_not_found', 'this link opens nothing: it is wrong, has ended or was revoked');

const PEOPLE: ReadonlySet<string> = new Set<ScoreSource>(['human', 'end_user']);

/** Scores as everybody may see them: those of people without who gave them, what they wrote, and what they said before. */
const withoutReviewers = (scores: ScoreResource[]): ScoreResource[] =>
  scores
    .map((score) => (PEOPLE.has(score.source) ? { ...score, author: '', comment: null, revisions: [] } : score))
    .filter(({ value, label, comment }) => value !== null || label !== null || comment !== null);

export const shareResource = (row: TraceShareRow): ShareResource =>
  fromColumns(shareSchema, row, { created_by: authorOf(row) });
