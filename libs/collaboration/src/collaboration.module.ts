import { Module, type OnModuleInit } from '@nestjs/common';
import { DatasetParticipants, DatasetsModule } from '@spandrel/datasets';
import { EvalsModule, RunParticipants } from '@spandrel/evals';
import { Capabilities } from '@spandrel/http';
import { MaskingModule } from '@spandrel/masking';
import { SpanCommitParticipants, TracingModule } from '@spandrel/tracing';
import { SharingSettings } from './collaboration.settings.js';
import { CommentStore } from './comment.store.js';
import { CommentsController } from './comments.controller.js';
import { SavedItemStore } from './saved-item.store.js';
import { BoardsController, ViewsController } from './saved-items.controller.js';
import { ShareStore } from './share.store.js';
import { SharedController, SharesController } from './shares.controller.js';
import { defineFeature, ofProjects } from '@spandrel/kernel';
import { CommentSchema, SavedItemSchema, TraceShareSchema } from './collaboration.entity.js';

/** Saved views, boards and comments. */
@Module({
  imports: [TracingModule, DatasetsModule, EvalsModule, MaskingModule],
  controllers: [ViewsController, BoardsController, CommentsController],
  providers: [SavedItemStore, CommentStore],
  exports: [SavedItemStore, CommentStore],
})
export class CollaborationModule implements OnModuleInit {
  constructor(
    private readonly tracing: SpanCommitParticipants,
    private readonly datasets: DatasetParticipants,
    private readonly runs: RunParticipants,
    private readonly comments: CommentStore,
  ) {}

  /** Comments go with what they are about, whatever deletes that. */
  onModuleInit(): void {
    const { comments } = this;
    const name = 'comments';
    this.tracing.register({ name, onCommit: (tx, changes) => comments.followTracing(tx, changes) });
    this.datasets.register({
      name,
      beforeDatapointsDelete: (tx, { scope, datasetId, datapointIds }) =>
        comments.deleteOf(tx, scope, 'datapoint', [datasetId], datapointIds),
      beforeDatasetDelete: (tx, { scope, datasetId }) => comments.deleteOf(tx, scope, 'datapoint', [datasetId]),
    });
    this.runs.register((tx, scope, runId) => comments.deleteOf(tx, scope, 'result', [runId]));
  }
}

/** Links that open one trace. */
@Module({
  imports: [TracingModule],
  controllers: [SharesController, SharedController],
  providers: [ShareStore],
})
class SharingModule implements OnModuleInit {
  constructor(
    private readonly capabilities: Capabilities,
    private readonly settings: SharingSettings,
    private readonly tracing: SpanCommitParticipants,
    private readonly shares: ShareStore,
  ) {}

  /** A link goes with its trace, so that it never opens another one that gets the same id. */
  onModuleInit(): void {
    this.capabilities.provide('sharing', () => this.settings.isEnabled);
    this.tracing.register({ name: 'sharing', onCommit: (tx, changes) => this.shares.followTraces(tx, changes) });
  }
}

export const collaborationFeature = defineFeature({
  name: 'collaboration',
  tag: { name: 'Collaboration', description: 'Saved views, boards and comments: what a team shares.' },
  module: CollaborationModule,
  entities: [SavedItemSchema, CommentSchema],
  owned: ofProjects('saved_item', 'comment'),
  requires: ['tracing', 'datasets', 'evals'],
});

export const sharingFeature = defineFeature({
  name: 'sharing',
  mode: 'cloud',
  tag: { name: 'Sharing', description: 'Links that open one trace without signing in.' },
  module: SharingModule,
  entities: [TraceShareSchema],
  owned: ofProjects('trace_share'),
  settings: [SharingSettings],
  requires: ['tracing', 'access'],
});
