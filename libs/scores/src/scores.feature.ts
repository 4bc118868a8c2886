import { defineFeature, ofProjects } from '@spandrel/kernel';
import { ScoreDefinitionSchema, ScoreRollupSchema, ScoreSchema } from './score.entity.js';
import { ScoresModule } from './scores.module.js';

export const scoresFeature = defineFeature({
  name: 'scores',
  tag: { name: 'Scores', description: 'What people, programs and judges say of traces, spans and sessions.' },
  module: ScoresModule,
  entities: [ScoreSchema, ScoreDefinitionSchema, ScoreRollupSchema],
  owned: ofProjects('score', 'score_definition', 'score_rollup'),
  requires: ['tracing'],
});
