import { Module } from '@nestjs/common';
import { ConnectionsModule } from '@spandrel/connections';
import { CoreSettings, PLUGINS, defineFeature, ofProjects } from '@spandrel/kernel';
import { TracingModule } from '@spandrel/tracing';
import { Backfill } from './backfill.js';
import { configuredIndex, SEARCH_INDEX } from './configured-index.js';
import { EmbeddingTargets, SearchCapabilities } from './embedding-target.js';
import { EmbedSpans } from './embed-spans.js';
import { IndexGroups } from './index-groups.js';
import { IndexSpans } from './index-spans.js';
import { NoteChanges } from './note-changes.js';
import { SearchController } from './search.controller.js';
import { SearchMetrics } from './search-metrics.js';
import { SearchSpans } from './search-spans.js';
import { SearchStateStore } from './search-state.store.js';
import { SearchTaskStore } from './search-task.store.js';
import { SearchSettings } from './search.settings.js';
import { SearchWorker } from './search-worker.js';
import { SearchStateSchema, SearchTaskSchema } from './search-task.entity.js';

/** Full-text and vector search over spans, through an external index. */
@Module({
  imports: [TracingModule, ConnectionsModule],
  controllers: [SearchController],
  providers: [
    { provide: SEARCH_INDEX, inject: [CoreSettings, SearchSettings, PLUGINS], useFactory: configuredIndex },
    ...[SearchTaskStore, SearchStateStore, SearchMetrics, EmbeddingTargets, EmbedSpans],
    ...[IndexSpans, IndexGroups, Backfill, SearchWorker, NoteChanges, SearchSpans, SearchCapabilities],
  ],
})
class SearchModule {}

export const searchFeature = defineFeature({
  name: 'search',
  tag: { name: 'Search', description: 'Full-text and vector search over spans.' },
  module: SearchModule,
  entities: [SearchTaskSchema, SearchStateSchema],
  owned: ofProjects('search_task', 'search_state'),
  settings: [SearchSettings],
  requires: ['tracing', 'connections'],
});
