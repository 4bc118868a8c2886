import { Module, type OnModuleInit } from '@nestjs/common';
import { MaskingModule } from '@spandrel/masking';
import { SpanCommitParticipants, TraceLookups, TracingModule } from '@spandrel/tracing';
import { FindTargets } from './find-targets.js';
import { FollowTargets } from './follow-targets.js';
import { ScoreDefinitionStore } from './score-definition.store.js';
import { ScoreFilterStore } from './score-filter.store.js';
import { ScoringRulesPort } from './scoring-rules-port.js';
import { ScoreMeasures } from './score-measures.store.js';
import { ScoreQualityStore } from './score-quality.store.js';
import { ScoreRollupStore } from './score-rollup.store.js';
import { ScoreStore } from './score.store.js';
import { ScoreDefinitionsController, ScoresController, ScoreAnalyticsController } from './scores.controller.js';
import { ServeScores } from './serve-scores.js';
import { WriteScores } from './write-scores.js';
import { defineFeature, ofProjects } from '@spandrel/kernel';
import { ScoreDefinitionSchema, ScoreRollupSchema, ScoreSchema } from './score.entity.js';

@Module({
  imports: [TracingModule, MaskingModule],
  controllers: [ScoresController, ScoreAnalyticsController, ScoreDefinitionsController],
  providers: [
    ScoreStore,
    ScoreRollupStore,
    ScoreQualityStore,
    ScoreFilterStore,
    ScoreDefinitionStore,
    ScoreMeasures,
    FindTargets,
    FollowTargets,
    WriteScores,
    ServeScores,
    ScoringRulesPort,
  ],
  exports: [ScoreStore, ScoreDefinitionStore, ScoreMeasures, WriteScores, FindTargets, ScoringRulesPort],
})
export class ScoresModule implements OnModuleInit {
  constructor(
    private readonly participants: SpanCommitParticipants,
    private readonly traces: TraceLookups,
    private readonly scores: ScoreStore,
  ) {}

  onModuleInit(): void {
    this.participants.register(this.traces.takeAlong('scores', this.scores));
  }
}

export const scoresFeature = defineFeature({
  name: 'scores',
  tag: { name: 'Scores', description: 'What people, programs and judges say of traces, spans and sessions.' },
  module: ScoresModule,
  entities: [ScoreSchema, ScoreDefinitionSchema, ScoreRollupSchema],
  owned: ofProjects('score', 'score_definition', 'score_rollup'),
  requires: ['tracing'],
});
