import { Injectable } from '@nestjs/common';
import { AuditTrail } from '@spandrel/audit';
import {
  fromColumns,
  captureRuleSchema,
  type CreateCaptureRule,
  type UpdateCaptureRule,
  formatTimestamp,
  type CaptureRuleResource,
  CAPTURE_PREVIEW_SHOWN_MAX,
  CAPTURE_PREVIEW_SPANS_MAX,
  CAPTURE_RULES_MAX,
  type CapturePreview,
  type PreviewCaptureBody,
} from '@spandrel/contract';
import { newId, type Scope } from '@spandrel/kernel';
import { Storage, type WriteTx } from '@spandrel/storage';
import { spanOutline, SpanLookups, SpanOutlineStore } from '@spandrel/tracing';
import { DatasetStore } from '../dataset.store.js';
import { captureRuleNotFound } from '../dataset-participants.js';
import { givenFilters, storedFilters, spanMatcher, tagHolds } from './capture-filters.js';
import { CaptureRule, type CaptureRuleRow } from './capture-rule.entity.js';
import { CaptureRuleStore } from './capture-rule.store.js';

/** Creates, changes and deletes capture rules. */
@Injectable()
export class ChangeCaptureRules {
  constructor(
    private readonly storage: Storage,
    private readonly datasets: DatasetStore,
    private readonly rules: CaptureRuleStore,
    private readonly audit: AuditTrail,
  ) {}

  /** @throws NotFound `dataset_not_found`. */
  async create(scope: Scope, datasetId: string, body: CreateCaptureRule): Promise<CaptureRuleRow> {
    const now = Date.now();
    const rule: CaptureRuleRow = {
      projectId: scope.projectId,
      id: newId(),
      datasetId,
      name: body.name,
      enabled: body.enabled === false ? 0 : 1,
      filters: JSON.stringify(givenFilters(body.filters ?? {})),
      sampleRate: body.sample_rate ?? 1,
      capturedCount: 0,
      createdAt: now,
      updatedAt: now,
    };
    await this.storage.write(async (tx) => {
      await this.datasets.getForWrite(tx, scope, datasetId);
      await this.rules.assertRoom(tx, scope, CAPTURE_RULES_MAX, 'capture rules');
      tx.em.create(CaptureRule, rule);
    });
    return rule;
  }

  /** Changes the members given; `filters` are replaced whole. @throws NotFound `capture_rule_not_found`. */
  update(scope: Scope, datasetId: string, id: string, body: UpdateCaptureRule): Promise<CaptureRuleRow> {
    const now = Date.now();
    return this.storage.write(async (tx) => {
      const before = await this.lock(tx, scope, datasetId, id);
      return Object.assign(before, {
        name: body.name ?? before.name,
        enabled: body.enabled === undefined ? before.enabled : Number(body.enabled),
        filters: body.filters === undefined ? before.filters : JSON.stringify(givenFilters(body.filters)),
        sampleRate: body.sample_rate ?? before.sampleRate,
        updatedAt: now,
      });
    });
  }

  /** Deletes a rule; the datapoints that it made stay. @throws NotFound `capture_rule_not_found`. */
  async delete(scope: Scope, datasetId: string, id: string): Promise<void> {
    await this.storage.write(async (tx) => {
      const rule = await this.lock(tx, scope, datasetId, id);
      await this.rules.delete(tx, rule);
      const target = { targetId: id, targetName: rule.name, details: { dataset_id: datasetId } };
      this.audit.record(tx, { action: 'capture_rule.deleted', ...scope, ...target });
    });
  }

  private async lock(tx: WriteTx, scope: Scope, datasetId: string, id: string): Promise<CaptureRuleRow> {
    const rule = await this.rules.findForWrite(tx, scope, id);
    if (rule?.datasetId !== datasetId) throw captureRuleNotFound();
    return rule;
  }
}

/** A stored capture rule as the wire shows it. */
export const captureRuleResource = (rule: CaptureRuleRow): CaptureRuleResource =>
  fromColumns(captureRuleSchema, rule, { enabled: rule.enabled === 1, filters: storedFilters(rule) });

/** `POST /api/datasets/:id/capture-rules/preview`: what a rule would have taken; nothing is written. */
@Injectable()
export class PreviewCapture {
  constructor(
    private readonly datasets: DatasetStore,
    private readonly lookups: SpanLookups,
    private readonly outlines: SpanOutlineStore,
  ) {}

  /** @throws NotFound `dataset_not_found`. */
  async execute(
    scope: Scope,
    datasetId: string,
    { filters: sent, sample_rate: sampleRate }: PreviewCaptureBody,
  ): Promise<CapturePreview> {
    await this.datasets.get(scope, datasetId);
    const filters = givenFilters(sent ?? {});
    const newest = await this.lookups.listNewestFinished(scope, CAPTURE_PREVIEW_SPANS_MAX + 1);
    const scanned = newest.slice(0, CAPTURE_PREVIEW_SPANS_MAX);
    const taken = scanned.filter(spanMatcher(filters)).map(({ id }) => id);
    const tags = await this.lookups.findTagsOfFinished(scope, taken);
    const matching = taken.filter((id) => {
      const its = tags.get(id);
      return its !== undefined && tagHolds(filters, its);
    });
    const shown = matching.slice(0, CAPTURE_PREVIEW_SHOWN_MAX);
    const spans: CapturePreview['spans'] = [];
    for (let at = 0; at < shown.length;) {
      const wanted = shown.slice(at);
      const loaded = await this.outlines.loadSome(scope, wanted, 0);
      spans.push(...loaded.map(spanOutline));
      // One that went meanwhile is left out.
      at += Math.max(1, wanted.indexOf(loaded.at(-1)?.id ?? '') + 1);
    }
    const oldest = scanned.at(-1);
    return {
      scanned: scanned.length,
      matched: matching.length,
      would_capture: Math.round(matching.length * (sampleRate ?? 1)),
      since: oldest === undefined ? null : formatTimestamp(oldest.startedAt),
      complete: newest.length <= CAPTURE_PREVIEW_SPANS_MAX,
      spans,
    };
  }
}
