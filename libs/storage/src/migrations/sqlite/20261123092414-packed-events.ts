import { Migration } from '@mikro-orm/migrations';

/** Rows of before stay as they are, until they are pruned. */
export class PackedEvents extends Migration {
  override up(): void {
    this.addSql('alter table `event_log` add column `packed` blob null');
    this.addSql('alter table `event_log` add column `sent_length` bigint null');
  }
}
