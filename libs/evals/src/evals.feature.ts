import { defineFeature, ofProjects } from '@spandrel/kernel';
import {
  EvalAttemptSchema,
  EvalResultSchema,
  EvalRunMetadataSchema,
  EvalRunSchema,
  EvalSampleSchema,
  EvalSubmissionSchema,
} from './eval-run.entity.js';
import { EvalsModule } from './evals.module.js';
import { EvalsSettings } from './evals.settings.js';

export const evalsFeature = defineFeature({
  name: 'evals',
  tag: { name: 'Evaluations', description: 'Runs of a model against a dataset.' },
  module: EvalsModule,
  entities: [
    ...[EvalRunSchema, EvalResultSchema, EvalSampleSchema, EvalAttemptSchema],
    ...[EvalSubmissionSchema, EvalRunMetadataSchema],
  ],
  owned: ofProjects(
    ...(['eval_run', 'eval_result', 'eval_sample', 'eval_attempt'] as const),
    ...(['eval_submission', 'eval_run_metadata'] as const),
  ),
  settings: [EvalsSettings],
  requires: ['events', 'tracing', 'datasets', 'queue', 'connections'],
});
