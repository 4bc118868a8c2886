import { Migration } from '@mikro-orm/migrations';

export class ReviewerNames extends Migration {
  override up(): void {
    this.addSql('alter table "queue_item" add "claimed_by_name" text collate "C" null');
  }
}
