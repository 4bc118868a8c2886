import { Module } from '@nestjs/common';
import { ConnectionsModule } from '@spandrel/connections';
import { TracingModule } from '@spandrel/tracing';
import { MakeTry } from './make-try.js';
import { PlanTry } from './plan-try.js';
import { TryController } from './try.controller.js';

/** Calls that are made again, or for the first time, to see what comes. */
@Module({
  imports: [TracingModule, ConnectionsModule],
  controllers: [TryController],
  providers: [PlanTry, MakeTry],
})
export class TryModule {}
