import { Module } from '@nestjs/common';
import { DatasetsModule } from '@spandrel/datasets';
import { TracingModule } from '@spandrel/tracing';

/** Everything out as one JSON file, and back in. */
@Module({ imports: [TracingModule, DatasetsModule] })
export class TransferModule {}
