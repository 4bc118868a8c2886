import { Controller, Get } from '@nestjs/common';
import { queueCountsSchema, type QueueCounts } from '@spandrel/contract';
import { CurrentReader, CurrentScope, Operation, type Reader } from '@spandrel/http';
import type { Scope } from '@spandrel/kernel';
import { CountQueues } from './count-queues.js';

/** `/api/count/queue` (docs/spec/queue.md#counting-queues). */
@Controller('api/count/queue')
export class QueueCountsController {
  constructor(private readonly countQueues: CountQueues) {}

  @Get()
  @Operation({
    id: 'countQueue',
    access: 'read',
    summary: 'How many queue items each dataset has, by status',
    answer: queueCountsSchema,
  })
  async count(@CurrentScope() scope: Scope, @CurrentReader() reader: Reader): Promise<QueueCounts> {
    const datasets = await this.countQueues.execute(scope, reader);
    return { datasets, count: datasets.length };
  }
}
