import { Module, type OnModuleInit } from '@nestjs/common';
import { ConnectionsModule, ConnectionUses } from '@spandrel/connections';
import { DatasetParticipants, DatasetsModule } from '@spandrel/datasets';
import { EventsModule } from '@spandrel/events';
import { SETTINGS, type Settings } from '@spandrel/kernel';
import { TracingModule } from '@spandrel/tracing';
import { ChangeRun } from './change-run.js';
import { CompareRuns } from './compare-runs.js';
import { DatasetEvalsController } from './dataset-evals.controller.js';
import { EvalMetrics } from './eval-metrics.js';
import { EvalResultStore } from './eval-result.store.js';
import { EvalRunStore } from './eval-run.store.js';
import { EvalsController } from './evals.controller.js';
import { ExecuteRun } from './execute-run.js';
import { Permits } from './permits.js';
import { ReadRun } from './read-run.js';
import { RecordItems } from './record-items.js';
import { RunWorker } from './run-worker.js';
import { StartRun } from './start-run.js';

/** Eval runs: their start, execution, results and comparison. */
@Module({
  imports: [EventsModule, TracingModule, DatasetsModule, ConnectionsModule],
  controllers: [DatasetEvalsController, EvalsController],
  providers: [
    {
      // The model calls of all runs.
      provide: Permits,
      inject: [SETTINGS],
      useFactory: ({ evals }: Pick<Settings, 'evals'>) => new Permits(evals.callsMax),
    },
    EvalMetrics,
    EvalRunStore,
    EvalResultStore,
    ChangeRun,
    RecordItems,
    ExecuteRun,
    RunWorker,
    StartRun,
    ReadRun,
    CompareRuns,
  ],
})
export class EvalsModule implements OnModuleInit {
  constructor(
    private readonly datasets: DatasetParticipants,
    private readonly connections: ConnectionUses,
    private readonly changes: ChangeRun,
    private readonly runs: EvalRunStore,
  ) {}

  onModuleInit(): void {
    this.datasets.register({
      name: 'evals',
      beforeDatasetDelete: (tx, { scope, datasetId }) => this.changes.deleteAll(tx, scope, datasetId),
    });
    this.connections.register({
      name: 'evals',
      isUsed: (tx, scope, connectionId) => this.runs.usesConnection(tx, scope, connectionId),
    });
  }
}
