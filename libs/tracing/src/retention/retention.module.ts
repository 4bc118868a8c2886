import { Module } from '@nestjs/common';
import { RecordsModule } from '../reading/records.module.js';
import { ExpireBatch } from './expire-batch.js';
import { ExpireDay } from './expire-day.js';
import { ExpireSpans } from './expire-spans.js';
import { ExpiredStore } from './expired.store.js';
import { RetentionTask } from './retention-task.js';

/** Deletes what plans do not keep. */
@Module({
  imports: [RecordsModule],
  providers: [ExpiredStore, ExpireBatch, ExpireDay, ExpireSpans, RetentionTask],
  exports: [ExpireSpans],
})
export class RetentionModule {}
