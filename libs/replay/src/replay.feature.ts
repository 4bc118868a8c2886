import { defineFeature, ofProjects } from '@spandrel/kernel';
import { ReplayModule } from './replay.module.js';
import { ReplaySchema } from './replays/replay.entity.js';
import { TrySettings } from './try/try.settings.js';

export const replayFeature = defineFeature({
  name: 'replay',
  tag: { name: 'Replay', description: 'Recorded calls made again, as they were or otherwise.' },
  module: ReplayModule,
  entities: [ReplaySchema],
  owned: ofProjects('replay'),
  settings: [TrySettings],
  requires: ['tracing', 'datasets', 'connections', 'evals'],
});
