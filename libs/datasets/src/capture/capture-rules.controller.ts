import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import {
  createCaptureRuleSchema,
  plainListSchema,
  updateCaptureRuleSchema,
  type CaptureRuleResource,
  type CreateCaptureRule,
  type PlainList,
  type UpdateCaptureRule,
  captureRuleSchema,
  captureRuleListSchema,
  deletedSchema,
} from '@spandrel/contract';
import { CurrentScope, newId, PathId, type Scope, Operation } from '@spandrel/kernel';
import { Storage, type WriteTx } from '@spandrel/storage';
import { givenFilters } from './capture-filters.js';
import { captureRuleResource } from './capture-rule-resource.js';
import type { CaptureRuleRow } from './capture-rule.entity.js';
import { CaptureRuleStore } from './capture-rule.store.js';
import { DatasetStore } from '../dataset.store.js';
import { captureRuleNotFound, datasetNotFound } from '../not-found.js';

/** `/api/datasets/:id/capture-rules` (contract.md "Capture rules"). */
@Controller('api/datasets/:id/capture-rules')
export class CaptureRulesController {
  constructor(
    private readonly storage: Storage,
    private readonly datasets: DatasetStore,
    private readonly rules: CaptureRuleStore,
  ) {}

  @Post()
  @Operation({
    id: 'createCaptureRule',
    access: 'write',
    summary: 'Make a capture rule',
    answer: captureRuleSchema,
    problems: ['dataset_not_found'],
  })
  async create(
    @CurrentScope() scope: Scope,
    @Param('id', new PathId(datasetNotFound)) datasetId: string,
    @Body({ schema: createCaptureRuleSchema }) body: CreateCaptureRule,
  ): Promise<CaptureRuleResource> {
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
      await this.rules.insert(tx, rule);
    });
    return captureRuleResource(rule);
  }

  @Get()
  @Operation({
    id: 'listCaptureRules',
    access: 'read',
    summary: 'Capture rules of a dataset, oldest first',
    answer: captureRuleListSchema,
    problems: ['dataset_not_found'],
  })
  async list(
    @CurrentScope() scope: Scope,
    @Param('id', new PathId(datasetNotFound)) datasetId: string,
    @Query({ schema: plainListSchema }) query: PlainList,
  ): Promise<{ capture_rules: CaptureRuleResource[]; count: number; next_cursor: string | null }> {
    await this.checkDataset(scope, datasetId);
    const { items, nextCursor } = await this.rules.list(scope, datasetId, query);
    return { capture_rules: items.map(captureRuleResource), count: items.length, next_cursor: nextCursor };
  }

  @Get(':rule_id')
  @Operation({
    id: 'getCaptureRule',
    access: 'read',
    summary: 'A capture rule',
    answer: captureRuleSchema,
    problems: ['dataset_not_found', 'capture_rule_not_found'],
  })
  async read(
    @CurrentScope() scope: Scope,
    @Param('id', new PathId(datasetNotFound)) datasetId: string,
    @Param('rule_id', new PathId(captureRuleNotFound)) id: string,
  ): Promise<CaptureRuleResource> {
    await this.checkDataset(scope, datasetId);
    const rule = await this.rules.find(scope, datasetId, id);
    if (!rule) throw captureRuleNotFound();
    return captureRuleResource(rule);
  }

  @Put(':rule_id')
  @Operation({
    id: 'updateCaptureRule',
    access: 'write',
    summary: 'Change a capture rule',
    answer: captureRuleSchema,
    problems: ['dataset_not_found', 'capture_rule_not_found'],
  })
  async update(
    @CurrentScope() scope: Scope,
    @Param('id', new PathId(datasetNotFound)) datasetId: string,
    @Param('rule_id', new PathId(captureRuleNotFound)) id: string,
    @Body({ schema: updateCaptureRuleSchema }) body: UpdateCaptureRule,
  ): Promise<CaptureRuleResource> {
    await this.checkDataset(scope, datasetId);
    const now = Date.now();
    const after = await this.storage.write(async (tx) => {
      const before = await this.lock(tx, scope, datasetId, id);
      const rule: CaptureRuleRow = {
        ...before,
        name: body.name ?? before.name,
        enabled: body.enabled === undefined ? before.enabled : Number(body.enabled),
        filters: body.filters === undefined ? before.filters : JSON.stringify(givenFilters(body.filters)),
        sampleRate: body.sample_rate ?? before.sampleRate,
        updatedAt: now,
      };
      await this.rules.update(tx, rule);
      return rule;
    });
    return captureRuleResource(after);
  }

  /** Its datapoints stay. */
  @Delete(':rule_id')
  @HttpCode(200)
  @Operation({
    id: 'deleteCaptureRule',
    access: 'write',
    summary: 'Delete a capture rule; its datapoints stay',
    answer: deletedSchema,
    problems: ['dataset_not_found', 'capture_rule_not_found'],
  })
  async delete(
    @CurrentScope() scope: Scope,
    @Param('id', new PathId(datasetNotFound)) datasetId: string,
    @Param('rule_id', new PathId(captureRuleNotFound)) id: string,
  ): Promise<{ id: string; deleted: true }> {
    await this.checkDataset(scope, datasetId);
    await this.storage.write(async (tx) => this.rules.delete(tx, await this.lock(tx, scope, datasetId, id)));
    return { id, deleted: true };
  }

  private async checkDataset(scope: Scope, id: string): Promise<void> {
    if (!(await this.datasets.find(scope, id))) throw datasetNotFound();
  }

  private async lock(tx: WriteTx, scope: Scope, datasetId: string, id: string): Promise<CaptureRuleRow> {
    const [rule] = await this.rules.findForWrite(tx, scope, [id]);
    if (rule?.datasetId !== datasetId) throw captureRuleNotFound();
    return rule;
  }
}
