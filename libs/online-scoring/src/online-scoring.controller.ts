import { Body, Controller, Delete, Get, HttpCode, Param, Post, Put, Query } from '@nestjs/common';
import {
  backfillAnswerSchema,
  backfillScoringSchema,
  createScoringRuleSchema,
  deletedSchema,
  explainScoringSchema,
  plainListSchema,
  scoringExplanationSchema,
  scoringRuleListSchema,
  scoringRuleSchema,
  scoringTestSchema,
  testScoringSchema,
  updateScoringRuleSchema,
  type BackfillScoring,
  type CreateScoringRule,
  type PlainList,
  type ScoringTargetIds,
  type UpdateScoringRule,
} from '@spandrel/contract';
import { CurrentScope, Operation, PathId, deleted } from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';
import { BackfillRules } from './backfill-scoring.js';
import { ChangeScoringRules } from './change-scoring-rules.js';
import { ExplainScoring } from './explain-scoring.js';
import { scoringRuleNotFound, ScoringRuleStore } from './scoring-rule.store.js';

const RuleId = () => Param('id', new PathId(scoringRuleNotFound));

/** `/api/scoring-rules` (docs/spec/online-scoring.md#rule-routes). */
@Controller('api/scoring-rules')
export class ScoringRulesController {
  constructor(
    private readonly rules: ScoringRuleStore,
    private readonly changes: ChangeScoringRules,
    private readonly explanations: ExplainScoring,
    private readonly backfills: BackfillRules,
  ) {}

  @Post()
  @Operation({
    access: 'write',
    summary: 'Have live traffic scored by a rule',
    audited: ['scoring_rule.created'],
    answer: scoringRuleSchema,
    problems: ['connection_not_found'],
  })
  async createScoringRule(
    @CurrentScope() scope: Scope,
    @Body({ schema: createScoringRuleSchema }) body: CreateScoringRule,
  ) {
    return (await this.changes.show(scope, [await this.changes.create(scope, body)]))[0]!;
  }

  @Get()
  @Operation({ access: 'read', summary: 'Scoring rules, oldest first', answer: scoringRuleListSchema })
  listScoringRules(@CurrentScope() scope: Scope, @Query({ schema: plainListSchema }) query: PlainList) {
    return this.changes.list(scope, query);
  }

  @Get(':id')
  @Operation({ access: 'read', summary: 'A scoring rule, and what it did within 24 hours', answer: scoringRuleSchema })
  async getScoringRule(@CurrentScope() scope: Scope, @RuleId() id: string) {
    return (await this.changes.show(scope, [await this.rules.get(scope, id)]))[0]!;
  }

  @Put(':id')
  @Operation({
    access: 'write',
    summary: 'Change a scoring rule',
    audited: ['scoring_rule.updated'],
    answer: scoringRuleSchema,
    problems: ['connection_not_found'],
  })
  async updateScoringRule(
    @CurrentScope() scope: Scope,
    @RuleId() id: string,
    @Body({ schema: updateScoringRuleSchema }) body: UpdateScoringRule,
  ) {
    return (await this.changes.show(scope, [await this.changes.update(scope, id, body)]))[0]!;
  }

  @Delete(':id')
  @Operation({
    access: 'write',
    summary: 'Delete a scoring rule; its scores stay',
    audited: ['scoring_rule.deleted'],
    answer: deletedSchema,
  })
  async deleteScoringRule(@CurrentScope() scope: Scope, @RuleId() id: string) {
    await this.changes.delete(scope, id);
    return deleted(id);
  }

  @Get(':id/explain')
  @Operation({
    access: 'read',
    summary: 'Why a rule scored a span, a trace or a session, or did not',
    answer: scoringExplanationSchema,
    problems: ['span_not_found', 'trace_not_found', 'session_not_found'],
  })
  explainScoring(
    @CurrentScope() scope: Scope,
    @RuleId() id: string,
    @Query({ schema: explainScoringSchema }) query: ScoringTargetIds,
  ) {
    return this.explanations.explain(scope, id, query);
  }

  @Post(':id/test')
  @HttpCode(200)
  @Operation({
    access: 'write',
    summary: 'Have a rule judge something at once',
    description: 'Asks the judge, which costs what it costs; nothing is stored.',
    answer: scoringTestSchema,
    problems: ['span_not_found', 'trace_not_found', 'session_not_found'],
  })
  testScoringRule(
    @CurrentScope() scope: Scope,
    @RuleId() id: string,
    @Body({ schema: testScoringSchema }) body: ScoringTargetIds,
  ) {
    return this.explanations.test(scope, id, body);
  }

  @Post(':id/backfill')
  @HttpCode(200)
  @Operation({
    access: 'write',
    summary: 'Have a rule judge what ended before it',
    audited: ['scoring_rule.backfill_begun'],
    answer: backfillAnswerSchema,
  })
  backfillScoringRule(
    @CurrentScope() scope: Scope,
    @RuleId() id: string,
    @Body({ schema: backfillScoringSchema }) body: BackfillScoring,
  ) {
    return this.backfills.begin(scope, id, body);
  }
}
