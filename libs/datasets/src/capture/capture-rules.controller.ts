import { Body, Controller, Delete, Get, HttpCode, Post, Put, Query } from '@nestjs/common';
import {
  capturePreviewSchema,
  createCaptureRuleSchema,
  plainListSchema,
  previewCaptureSchema,
  updateCaptureRuleSchema,
  type CreateCaptureRule,
  type PlainList,
  type PreviewCaptureBody,
  type UpdateCaptureRule,
  captureRuleSchema,
  captureRuleListSchema,
  deletedSchema,
} from '@spandrel/contract';
import { CurrentScope, Operation, listOf, deleted } from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';
import { captureRuleResource, ChangeCaptureRules, PreviewCapture } from './change-capture-rules.js';
import { CaptureRuleStore } from './capture-rule.store.js';
import { DatasetStore } from '../dataset.store.js';
import { captureRuleNotFound, DatasetId, CaptureRuleId } from '../dataset-participants.js';

/** `/api/datasets/:id/capture-rules` (docs/spec/capture-rules.md#rule-routes). */
@Controller('api/datasets/:id/capture-rules')
export class CaptureRulesController {
  constructor(
    private readonly datasets: DatasetStore,
    private readonly rules: CaptureRuleStore,
    private readonly changes: ChangeCaptureRules,
    private readonly previews: PreviewCapture,
  ) {}

  @Post()
  @Operation({ access: 'write', summary: 'Make a capture rule', answer: captureRuleSchema })
  async createCaptureRule(
    @CurrentScope() scope: Scope,
    @DatasetId() datasetId: string,
    @Body({ schema: createCaptureRuleSchema }) body: CreateCaptureRule,
  ) {
    return captureRuleResource(await this.changes.create(scope, datasetId, body));
  }

  @Post('preview')
  @HttpCode(200)
  @Operation({
    access: 'read',
    summary: 'What a capture rule would have taken of the newest spans',
    description: 'Nothing is written.',
    answer: capturePreviewSchema,
  })
  previewCaptureRule(
    @CurrentScope() scope: Scope,
    @DatasetId() datasetId: string,
    @Body({ schema: previewCaptureSchema }) body: PreviewCaptureBody,
  ) {
    return this.previews.execute(scope, datasetId, body);
  }

  @Get()
  @Operation({ access: 'read', summary: 'Capture rules of a dataset, oldest first', answer: captureRuleListSchema })
  async listCaptureRules(
    @CurrentScope() scope: Scope,
    @DatasetId() datasetId: string,
    @Query({ schema: plainListSchema }) query: PlainList,
  ) {
    await this.datasets.get(scope, datasetId);
    return listOf('capture_rules', await this.rules.listOfDataset(scope, datasetId, query), captureRuleResource);
  }

  @Get(':rule_id')
  @Operation({ access: 'read', summary: 'A capture rule', answer: captureRuleSchema })
  async getCaptureRule(@CurrentScope() scope: Scope, @DatasetId() datasetId: string, @CaptureRuleId() id: string) {
    await this.datasets.get(scope, datasetId);
    const rule = await this.rules.find(scope, id);
    if (rule?.datasetId !== datasetId) throw captureRuleNotFound();
    return captureRuleResource(rule);
  }

  @Put(':rule_id')
  @Operation({ access: 'write', summary: 'Change a capture rule', answer: captureRuleSchema })
  async updateCaptureRule(
    @CurrentScope() scope: Scope,
    @DatasetId() datasetId: string,
    @CaptureRuleId() id: string,
    @Body({ schema: updateCaptureRuleSchema }) body: UpdateCaptureRule,
  ) {
    await this.datasets.get(scope, datasetId);
    return captureRuleResource(await this.changes.update(scope, datasetId, id, body));
  }

  @Delete(':rule_id')
  @Operation({
    access: 'write',
    summary: 'Delete a capture rule; its datapoints stay',
    audited: ['capture_rule.deleted'],
    answer: deletedSchema,
  })
  async deleteCaptureRule(@CurrentScope() scope: Scope, @DatasetId() datasetId: string, @CaptureRuleId() id: string) {
    await this.datasets.get(scope, datasetId);
    await this.changes.delete(scope, datasetId, id);
    return deleted(id);
  }
}
