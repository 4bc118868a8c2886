import { Module } from '@nestjs/common';
import { TracingModule } from '@spandrel/tracing';

/** Roll-ups of spans and the questions they answer. */
@Module({ imports: [TracingModule] })
export class AnalyticsModule {}
