import { Module, type OnModuleInit } from '@nestjs/common';
import { Capabilities } from '@spandrel/http';
import { SpanCommitParticipants, TracingModule } from '@spandrel/tracing';
import { SharingSettings } from './collaboration.settings.js';
import { SavedItemStore } from './saved-item.store.js';
import { BoardsController, ViewsController } from './saved-items.controller.js';
import { ShareStore } from './share.store.js';
import { SharedController, SharesController } from './shares.controller.js';

/** Saved views and boards. */
@Module({ controllers: [ViewsController, BoardsController], providers: [SavedItemStore], exports: [SavedItemStore] })
export class CollaborationModule {}

/** Links that open one trace. */
@Module({
  imports: [TracingModule],
  controllers: [SharesController, SharedController],
  providers: [ShareStore],
})
export class SharingModule implements OnModuleInit {
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
