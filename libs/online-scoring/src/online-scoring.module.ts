import { Module, type OnModuleInit } from '@nestjs/common';
import { EvalsModule } from '@spandrel/evals';
import { ScoresModule, ScoringRulesPort } from '@spandrel/scores';
import { TracingModule } from '@spandrel/tracing';
import { BackfillRules } from './backfill-scoring.js';
import { ChangeScoringRules } from './change-scoring-rules.js';
import { ExplainScoring } from './explain-scoring.js';
import { FindTarget } from './find-target.js';
import { JudgeTarget } from './judge-target.js';
import { NoteTasks } from './note-tasks.js';
import { ScoringRulesController } from './online-scoring.controller.js';
import { RecordJudgement } from './record-judgement.js';
import { ScoringRuleStore } from './scoring-rule.store.js';
import { ScoringTaskStore } from './scoring-task.store.js';
import { ScoringWorker } from './scoring-worker.js';
import { TakeTasks } from './take-tasks.js';
import { defineFeature, ofProjects } from '@spandrel/kernel';
import { ScoringSettings } from './online-scoring.settings.js';
import { ScoringHourSchema, ScoringRuleSchema, ScoringTaskSchema } from './scoring-rule.entity.js';

@Module({
  imports: [TracingModule, ScoresModule, EvalsModule],
  controllers: [ScoringRulesController],
  providers: [
    ...[ScoringRuleStore, ScoringTaskStore, ChangeScoringRules, FindTarget, JudgeTarget],
    ...[TakeTasks, RecordJudgement, ScoringWorker, NoteTasks, ExplainScoring, BackfillRules],
  ],
})
class OnlineScoringModule implements OnModuleInit {
  constructor(
    private readonly port: ScoringRulesPort,
    private readonly changes: ChangeScoringRules,
    private readonly rules: ScoringRuleStore,
  ) {}

  onModuleInit(): void {
    this.port.rules = this.changes;
    this.port.countStalled = (scope, dueBy) => this.rules.countStalled(scope, dueBy);
  }
}

export const onlineScoringFeature = defineFeature({
  name: 'online-scoring',
  tag: { name: 'Scoring rules', description: 'Rules that have judges and programs score live traffic.' },
  module: OnlineScoringModule,
  entities: [ScoringRuleSchema, ScoringTaskSchema, ScoringHourSchema],
  owned: ofProjects('scoring_task', 'scoring_hour', 'scoring_rule'),
  settings: [ScoringSettings],
  requires: ['tracing', 'scores', 'evals'],
});
