import { defineFeature, ofProjects } from '@spandrel/kernel';
import { EvalResultSchema, EvalRunSchema } from './eval-run.entity.js';
import { EvalsModule } from './evals.module.js';
import { EvalsSettings } from './evals.settings.js';

export const evalsFeature = defineFeature({
  name: 'evals',
  tag: { name: 'Evaluations', description: 'Runs of a model against a dataset.' },
  module: EvalsModule,
  entities: [EvalRunSchema, EvalResultSchema],
  owned: ofProjects('eval_run', 'eval_result'),
  settings: [EvalsSettings],
  requires: ['events', 'tracing', 'datasets', 'connections'],
});
