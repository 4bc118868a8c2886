import { defineFeature, ofProjects } from '@spandrel/kernel';
import { OnlineScoringModule } from './online-scoring.module.js';
import { ScoringSettings } from './online-scoring.settings.js';
import { ScoringHourSchema, ScoringRuleSchema, ScoringTaskSchema } from './scoring-rule.entity.js';

export const onlineScoringFeature = defineFeature({
  name: 'online-scoring',
  tag: { name: 'Scoring rules', description: 'Rules that have judges and programs score live traffic.' },
  module: OnlineScoringModule,
  entities: [ScoringRuleSchema, ScoringTaskSchema, ScoringHourSchema],
  owned: ofProjects('scoring_task', 'scoring_hour', 'scoring_rule'),
  settings: [ScoringSettings],
  requires: ['tracing', 'scores', 'evals'],
});
