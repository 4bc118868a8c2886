import { Module } from '@nestjs/common';
import { CountsController, FacetsController } from './counts.controller.js';
import { IngestController } from './ingest.controller.js';
import { ListingModule } from './listing/listing.module.js';
import { ReadTrace } from './read-trace.js';
import { RecordsModule } from './reading/records.module.js';
import { RetentionModule } from './retention/retention.module.js';
import { SessionsController } from './sessions.controller.js';
import { SpansController } from './spans.controller.js';
import { TracesController } from './traces.controller.js';
import { TextIndexModule } from './text-index/text-index.module.js';
import { WriteModule } from './write/write.module.js';

/** Traces, spans, sessions and ingest: the routes, on top of the modules that write, list and expire. */
@Module({
  imports: [RecordsModule, WriteModule, ListingModule, RetentionModule, TextIndexModule],
  controllers: [
    ...[TracesController, SpansController, SessionsController],
    ...[CountsController, FacetsController, IngestController],
  ],
  providers: [ReadTrace],
  exports: [RecordsModule, WriteModule, RetentionModule],
})
export class TracingModule {}
