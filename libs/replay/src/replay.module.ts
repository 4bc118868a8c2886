import { Module } from '@nestjs/common';
import { ConnectionsModule } from '@spandrel/connections';
import { DatasetsModule } from '@spandrel/datasets';
import { EvalsModule } from '@spandrel/evals';
import { TracingModule } from '@spandrel/tracing';
import { BeginReplay } from './replays/begin-replay.js';
import { ChooseSpans } from './replays/choose-spans.js';
import { PrepareReplay } from './replays/prepare-replay.js';
import { ReplayUpkeep } from './replays/replay-upkeep.js';
import { ReplayStore } from './replays/replay.store.js';
import { ReplaysController } from './replays/replays.controller.js';
import { MakeTry } from './try/make-try.js';
import { PlanTry } from './try/plan-try.js';
import { TryController } from './try/try.controller.js';
import { defineFeature, ofProjects } from '@spandrel/kernel';
import { ReplaySchema } from './replays/replay.entity.js';
import { TrySettings } from './try/try.settings.js';

/** Recorded calls made again: one at a time, or many as a dataset with what was recorded as the baseline of a run. */
@Module({
  imports: [TracingModule, DatasetsModule, ConnectionsModule, EvalsModule],
  controllers: [TryController, ReplaysController],
  providers: [PlanTry, MakeTry, ReplayStore, ChooseSpans, BeginReplay, PrepareReplay, ReplayUpkeep],
})
class ReplayModule {}

export const replayFeature = defineFeature({
  name: 'replay',
  tag: { name: 'Replay', description: 'Recorded calls made again, as they were or otherwise.' },
  module: ReplayModule,
  entities: [ReplaySchema],
  owned: ofProjects('replay'),
  settings: [TrySettings],
  requires: ['tracing', 'datasets', 'connections', 'evals'],
});
