import { Injectable } from '@nestjs/common';
import { AuditTrail } from '@spandrel/audit';
import type { CreateCaptureRule, UpdateCaptureRule } from '@spandrel/contract';
import { newId, type Scope } from '@spandrel/kernel';
import { Storage, type WriteTx } from '@spandrel/storage';
import { DatasetStore } from '../dataset.store.js';
import { captureRuleNotFound, datasetNotFound } from '../not-found.js';
import { givenFilters } from './capture-filters.js';
import type { CaptureRuleRow } from './capture-rule.entity.js';
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
      if (!(await this.datasets.findForWrite(tx, scope, datasetId))) throw datasetNotFound();
      this.rules.insert(tx, rule);
    });
    return rule;
  }

  /** Changes the members given; `filters` are replaced whole. @throws NotFound `capture_rule_not_found`. */
  update(scope: Scope, datasetId: string, id: string, body: UpdateCaptureRule): Promise<CaptureRuleRow> {
    const now = Date.now();
    return this.storage.write(async (tx) => {
      const before = await this.lock(tx, scope, datasetId, id);
      return this.rules.edit(before, {
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
    const [rule] = await this.rules.findForWrite(tx, scope, [id]);
    if (rule?.datasetId !== datasetId) throw captureRuleNotFound();
    return rule;
  }
}
